import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { z } from 'zod';
import { runArchive } from '../archive/archive-program';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { rebuildHint } from '../support/ndjson';

export const exportedSchema = z.object({ event: z.literal('exported'), chunks: z.number(), bytes: z.number() });
export const exportedChunkSchema = z.object({ event: z.literal('exported_chunk'), sha256: z.string() });

interface Waiting {
  resolve: (path: string) => void;
  reject: (error: unknown) => void;
}

/** Writes requested chunks of a capture to files in a folder, with one process that reads capture.json once. */
export class ChunkExport {
  private readonly asked = new PassThrough();
  private readonly waiting = new Map<string, Waiting>();
  private readonly ended: Promise<void>;
  private failure: Error | undefined;

  constructor(
    capture: string,
    stores: readonly string[],
    private readonly folder: string,
    deps: Deps,
  ) {
    const args = ['export-chunks', capture, '--output', folder, ...stores.flatMap((store) => ['--store', store])];
    const input = { kind: 'stream' as const, open: () => this.asked };
    this.ended = runArchive(args, 'exported', exportedSchema, deps, [0], input, (line) => this.take(line)).then(() => {
      this.fail(
        new KernloopError(
          'NATIVE_FAILED',
          `${deps.native.archive} ended before all chunks of ${capture} were asked for`,
          rebuildHint,
        ),
      );
    });
    this.ended.catch((error: unknown) => this.fail(error instanceof Error ? error : new Error(String(error))));
  }

  /** Rejects all requests once the program has ended. */
  private fail(error: Error): void {
    this.failure = error;
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  /** File with the content of a chunk; the caller removes it. */
  file(digest: string): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.failure !== undefined) {
        reject(this.failure);
        return;
      }
      this.waiting.set(digest, { resolve, reject });
      this.asked.write(`${digest}\n`);
    });
  }

  async end(): Promise<void> {
    this.asked.end();
    await this.ended;
  }

  private take(line: string): void {
    const event = exportedChunkSchema.safeParse(parsed(line));
    if (!event.success) return;
    const { sha256 } = event.data;
    this.waiting.get(sha256)?.resolve(join(this.folder, sha256));
    this.waiting.delete(sha256);
  }
}

/** A line that is not JSON is reported by the reader of all events. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
