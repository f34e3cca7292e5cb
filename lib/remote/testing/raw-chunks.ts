import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { FakeProgram } from '../../testing/fake-deps';

/** A kernloop-archive in which every chunk has the given content, and a store is a folder of raw chunks. */
export const rawChunks =
  (content: Buffer): FakeProgram =>
  async ({ args, options, print }) => {
    const [verb, folder = '', , output = ''] = args;
    if (verb === 'export-chunks') {
      if (options.input?.kind !== 'stream') throw new Error('digests come on stdin');
      for await (const wanted of createInterface(options.input.open())) {
        writeFileSync(join(output, wanted), content);
        print({ event: 'exported_chunk', sha256: wanted, bytes: 1 });
      }
      print({ event: 'exported', chunks: 1, bytes: 1 });
    } else {
      for (const name of readdirSync(folder)) {
        mkdirSync(join(output, name.slice(0, 2)), { recursive: true });
        copyFileSync(join(folder, name), join(output, name.slice(0, 2), name));
      }
      print({ event: 'imported', chunks: 1, bytes_added: 1 });
    }
    return 0;
  };
