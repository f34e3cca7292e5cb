import {
  closeSync,
  createReadStream,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { isatty } from 'node:tty';

/** What a program reads from its stdin, the same each time it is run. */
export type ProgramInput =
  /** A terminal: nobody but the program reads it. */
  | { kind: 'terminal' }
  | { kind: 'file'; path: string; start: number }
  /** From its beginning, however often it is opened. */
  | { kind: 'stream'; open: () => Readable };

export function fileInput(path: string): ProgramInput {
  return { kind: 'file', path, start: 0 };
}

/** The stdin of this process, from where it stands now; undefined where there is none (/dev/null, as under Nx). */
export function inheritedInput(): ProgramInput | undefined {
  try {
    const stdin = fstatSync(0);
    // Opened anew, so that our own place in it (a shell's `while read` loop) stays where it is.
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

/** Of a program that another one starts: how, and what is to be done once it runs. */
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

/** Any, but execa's types know those up to 9 only. */
type Descriptor = 3;
type Pipe = NodeJS.WritableStream | null | undefined;

/** A program may end, or close its stdin, without having read everything. */
function feed(source: Readable, pipe: Pipe): void {
  source.on('error', () => pipe?.end());
  if (!pipe) return void source.destroy();
  pipe.on('error', () => source.destroy()).on('close', () => source.destroy());
  source.pipe(pipe);
}

const chunkBytes = 64 * 1024;

/** Keeps what it has read of a source that can be read only once, in a file. Readers take turns. */
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

  /** A reader whose program has ended may still wait for what the next one gets. */
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
    // What nobody waits for any more keeps no process alive.
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

/** Nothing of it is left, however this process ends. */
function unnamedFile(): number {
  const folder = mkdtempSync(join(tmpdir(), 'kernloop-stdin-'));
  try {
    return openSync(join(folder, 'spool'), 'w+', 0o600);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
