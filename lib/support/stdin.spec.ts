import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { runProcess } from './exec';
import { fileInput, SpooledInput, type ProgramInput } from './stdin';

jest.setTimeout(60_000);

const node = process.execPath;
const text = async (source: Readable): Promise<string> =>
  Buffer.concat((await source.toArray()) as Buffer[]).toString();
const echo = async (input: ProgramInput): Promise<string> => {
  const chunks: string[] = [];
  await runProcess('cat', [], { input, onStdout: (chunk) => chunks.push(chunk) }).result;
  return chunks.join('');
};

describe('what a program reads from stdin', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kernloop-stdin-spec-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is a file from its beginning, as often as it is run', async () => {
    const path = join(folder, 'in');
    writeFileSync(path, 'three\nlines\nhere\n');
    for (const _run of [1, 2]) expect(await echo(fileInput(path))).toBe('three\nlines\nhere\n');
    expect(await echo({ kind: 'file', path, start: 6 })).toBe('lines\nhere\n');
  });

  it('is what came by a pipe, the same in a second run, also what the first one did not read', async () => {
    const large = Array.from({ length: 60_000 }, (_, line) => `line ${line}\n`).join('');
    const spool = new SpooledInput(() => Readable.from([large.slice(0, 7), large.slice(7)]));
    const input: ProgramInput = { kind: 'stream', open: () => spool.open() };
    const first = await runProcess('head', ['-n', '1'], { input }).result;
    expect(first).toMatchObject({ exitCode: 0, stdoutTail: 'line 0\n' });
    for (const _run of [1, 2]) expect(await echo(input)).toBe(large);
  });

  it('goes on with the pipe where the first run ended before its end', async () => {
    const source = new PassThrough();
    const spool = new SpooledInput(() => source);
    source.write('before ');
    const first = await runProcess('head', ['-c', '6'], { input: { kind: 'stream', open: () => spool.open() } }).result;
    expect(first.stdoutTail).toBe('before');
    const second = text(spool.open());
    source.end('after');
    expect(await second).toBe('before after');
  });

  it('ends where its source fails', async () => {
    const source = new PassThrough();
    const spool = new SpooledInput(() => source);
    source.write('all there is');
    const read = text(spool.open());
    source.destroy(new Error('EIO'));
    expect(await read).toBe('all there is');
  });

  it('leaves no file behind', async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('kernloop-stdin-'));
    await text(new SpooledInput(() => Readable.from(['x'])).open());
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('kernloop-stdin-'))).toEqual(before);
  });

  describe('of this process', () => {
    const script = join(__dirname, '..', '..', 'bin', 'source.js');
    /** Input that a process of ours finds when a shell starts it. */
    const seen = async (command: string): Promise<string> => {
      const code = `require(${JSON.stringify(script)});const i=require(${JSON.stringify(join(__dirname, 'stdin.ts'))}).inheritedInput();console.log(JSON.stringify(i??null))`;
      writeFileSync(join(folder, 'see.js'), code);
      const { stdout } = await promisify(execFile)('bash', [
        '-c',
        command.replaceAll('{see}', `${node} ${folder}/see.js`),
      ]);
      return stdout;
    };

    it('is a file from where the shell stands in it, whose own place stays', async () => {
      writeFileSync(join(folder, 'list'), 'one\ntwo\nthree\n');
      const said = await seen(`while read line; do echo "$line"; {see}; done < ${folder}/list`);
      const places = [4, 8, 14].map((start) => JSON.stringify({ kind: 'file', path: '/proc/self/fd/0', start }));
      expect(said.trim().split('\n')).toEqual(['one', places[0], 'two', places[1], 'three', places[2]]);
    });

    it('is a pipe, or none at all', async () => {
      expect(JSON.parse(await seen('echo x | {see}'))).toEqual({ kind: 'stream' });
      expect(await seen('{see} < /dev/null')).toBe('null\n');
      expect(await seen('{see} <&-')).toBe('null\n');
    });
  });
});
