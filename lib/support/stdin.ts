import {
  closeSync,
  createReadStream,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { isatty } from 'node:tty';

/** Input for a program's stdin, the same in every run. */
export type ProgramInput =
  /** A terminal, which only the program reads. */
  | { kind: 'terminal' }
  | { kind: 'file'; path: string; start: number }
  /** A stream that starts from its beginning each time it is opened. */
  | { kind: 'stream'; open: () => Readable };

export function fileInput(path: string): ProgramInput {
  return { kind: 'file', path, start: 0 };
}

/** An empty file as stdin: its time of access tells whether the program read it, where the file system keeps such. */
export function emptyInput(folder: string): { input: ProgramInput; wasRead: () => boolean } {
  const path = join(folder, 'stdin');
  writeFileSync(path, '');
  const forget = (): void => utimesSync(path, 0, new Date());
  const wasRead = (): boolean => statSync(path).atimeMs > 0;
  forget();
  readFileSync(path);
  const isKept = wasRead();
  forget();
  return { input: fileInput(path), wasRead: () => !isKept || wasRead() };
}

/** The stdin of this process from its current position; undefined if there is none (/dev/null, as under Nx). */
export function inheritedInput(): ProgramInput | undefined {
  try {
    const stdin = fstatSync(0);
    // Reopens the file, so that our own position in it (a shell's `while read` loop) stays.
    if (stdin.isFile()) return { kind: 'file', path: '/proc/self/fd/0', start: placeIn(0) };
    if (stdin.isFIFO() || stdin.isSocket()) {
      const spool = new SpooledInput(() => process.stdin);
      return { kind: 'stream', open: () => spool.open() };
    }
    return isatty(0) ? { kind: 'terminal' } : undefined;
  } catch {
    return undefined;
  }
}

function placeIn(descriptor: number): number {
  return Number(/^pos:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1] ?? 0);
}

/** How to start a program with this input, and what to do once it runs. */
export function stdinOf(input: ProgramInput): {
  stdin: 'pipe' | 'inherit' | Descriptor;
  started: (pipe: Pipe) => void;
} {
  const piped = (open: () => Readable) => ({ stdin: 'pipe' as const, started: (pipe: Pipe) => feed(open(), pipe) });
  if (input.kind === 'terminal') return { stdin: 'inherit', started: () => undefined };
  if (input.kind === 'stream') return piped(input.open);
  const { path, start } = input;
  if (start > 0) return piped(() => createReadStream(path, { start }));
  const descriptor = openSync(path, 'r') as Descriptor;
  return { stdin: descriptor, started: () => closeSync(descriptor) };
}

/** Stands for any descriptor: execa's types only know those up to 9. */
type Descriptor = 3;
type Pipe = NodeJS.WritableStream | null | undefined;

/** Ignores pipe errors: a program may end, or close its stdin, before it has read everything. */
function feed(source: Readable, pipe: Pipe): void {
  source.on('error', () => pipe?.end());
  if (!pipe) return void source.destroy();
  pipe.on('error', () => source.destroy()).on('close', () => source.destroy());
  source.pipe(pipe);
}

const chunkBytes = 64 * 1024;

/** Spools a source that can be read only once to a file. Readers take turns. */
export class SpooledInput {
  private source: AsyncIterator<Buffer | string> | undefined;
  private spool: number | undefined;
  private bytes = 0;
  private hasEnded = false;
  private pulling: Promise<void> | undefined;

  constructor(private readonly open_: () => Readable) {}

  open(): Readable {
    return Readable.from(this.chunks(), { objectMode: false, highWaterMark: 1 });
  }

  private async *chunks(): AsyncGenerator<Buffer> {
    const buffer = Buffer.alloc(chunkBytes);
    for (let place = 0; ;) {
      while (place < this.bytes && this.spool !== undefined) {
        const read = readSync(this.spool, buffer, 0, chunkBytes, place);
        place += read;
        yield Buffer.from(buffer.subarray(0, read));
      }
      if (this.hasEnded) return;
      await (this.pulling ??= this.pull());
    }
  }

  /** Reads one chunk for all readers: one whose program has ended may still be waiting for it. */
  private async pull(): Promise<void> {
    try {
      this.source ??= this.started();
      const next = await this.source.next();
      if (next.done === true) this.hasEnded = true;
      else this.append(Buffer.from(next.value));
    } catch {
      this.hasEnded = true;
    } finally {
      this.pulling = undefined;
    }
  }

  private started(): AsyncIterator<Buffer | string> {
    const source = this.open_();
    // A socket that nothing waits for must not keep the process alive.
    if (source instanceof Socket) source.unref();
    return source[Symbol.asyncIterator]() as AsyncIterator<Buffer | string>;
  }

  private append(chunk: Buffer): void {
    this.spool ??= unnamedFile();
    for (let written = 0; written < chunk.length;)
      written += writeSync(this.spool, chunk, written, chunk.length - written, this.bytes + written);
    this.bytes += chunk.length;
  }
}

/** Opens a file that is deleted at once, so nothing remains however this process ends. */
function unnamedFile(): number {
  const folder = mkdtempSync(join(tmpdir(), 'kernloop-stdin-'));
  try {
    return openSync(join(folder, 'spool'), 'w+', 0o600);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
