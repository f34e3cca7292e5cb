import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('a capture under way', () => {
  it('shows on a real terminal bytes and rate, and what is left where it is known how much there is', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kernloop-pty-'));
    try {
      const program = join(folder, 'program.js');
      const source = join(__dirname, '..', '..', 'bin', 'source.js');
      const module = (name: string): string => JSON.stringify(join(__dirname, name));
      writeFileSync(
        program,
        `require(${JSON.stringify(source)});
         const { RunLog } = require(${module('run-log.ts')});
         const { consoleReporter } = require(${module('../support/report.ts')});
         const log = new RunLog({ report: consoleReporter() });
         const mib = 1 << 20;
         const tell = (id, phase, bytes, total_bytes) =>
           log.take({ event: 'capturing', id, phase, bytes: bytes * mib, ...(total_bytes && { total_bytes: total_bytes * mib }) });
         const both = (id, phase, total) => new Promise((done) => {
           tell(id, phase, 10, total);
           setTimeout(() => done(tell(id, phase, 20, total)), 1100);
         });
         (async () => {
           await both('known', 'before', 400);
           await both('unknown', 'before');
           await both('unknown', 'after', 400);
           log.take({ event: 'captured', id: 'unknown', output: '/x', ordinal: 1 });
           process.stderr.write('end');
         })();`,
      );
      const shown = execFileSync('script', ['-qec', `stty cols 100; ${process.execPath} ${program}`, '/dev/null'], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], TERM: 'xterm' },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const rate = String.raw`\d+\.\d MiB/s`;
      const lines = shown.split('\r\x1b[2K');
      expect(lines).toEqual([
        '',
        'known: captured 10.0 MiB of 400.0 MiB (2 %)',
        // 380 MiB at a rate that may drop to a tenth of 9 MiB/s on a busy machine.
        expect.stringMatching(
          new RegExp(`^known: captured 20\\.0 MiB of 400\\.0 MiB \\(5 %\\), ${rate}, (\\d+ min )?\\d+ s left$`),
        ),
        'unknown: captured 10.0 MiB',
        expect.stringMatching(new RegExp(`^unknown: captured 20\\.0 MiB, ${rate}$`)),
        'unknown: compared after the launch 10.0 MiB of 400.0 MiB (2 %)',
        expect.stringMatching(/^unknown: compared after the launch 20\.0 MiB of 400\.0 MiB \(5 %\), .* left$/),
        'end',
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
