import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readSync, realpathSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeToCommand } from './command-output';

const text = 'Kernloop: 1 verdict\n';

describe('text for a command of Nx, written by another process than its own', () => {
  let folder: string;
  let pipe: string;
  let output: number;
  let command: ChildProcess;
  const words = ['affected', '-t', 'validate'];
  const write = (): Promise<void> =>
    writeToCommand(text, { argv: [process.execPath, 'nx', ...words], workspaceRoot: folder });

  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'kernloop-output-')));
    pipe = join(folder, 'output');
    execFileSync('mkfifo', [pipe]);
    output = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    const waits = 'process.stderr.write("up"); setInterval(() => {}, 1000)';
    command = spawn(process.execPath, ['-e', waits, 'nx', ...words], {
      cwd: folder,
      stdio: ['ignore', output, 'pipe'],
    });
    if (command.stderr) await once(command.stderr, 'data');
    // Starting a process makes the pipe that it gets a waiting one.
    closeSync(output);
    output = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  });
  afterEach(async () => {
    const ended = once(command, 'exit');
    command.kill('SIGKILL');
    await ended;
    closeSync(output);
    rmSync(folder, { recursive: true });
  });

  it('comes out where the command writes', async () => {
    await write();
    const read = Buffer.alloc(1000);
    expect(read.toString('utf8', 0, readSync(output, read))).toBe(text);
  });

  it('is left out if the output is a full pipe: the daemon would wait for its reader', async () => {
    const fill = (): unknown => {
      try {
        for (;;) writeSync(output, Buffer.alloc(1));
      } catch (error) {
        return (error as { code?: string }).code;
      }
    };
    expect(fill()).toBe('EAGAIN');
    // If the write waits, this reader lets it go on, so that the test fails rather than hangs.
    const reader = spawn('sh', ['-c', 'sleep 20; exec dd bs=64k count=1 of=/dev/null'], {
      stdio: [openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK), 'ignore', 'ignore'],
      detached: true,
    });
    try {
      await write();
      expect(() => writeSync(output, 'x')).toThrow('EAGAIN');
    } finally {
      if (reader.pid !== undefined) process.kill(-reader.pid, 'SIGKILL');
    }
  });
});
