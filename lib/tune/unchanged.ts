import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { captureFile, selfcheckFile } from '../archive/capture-files';
import { chooseDispatches } from '../replay/captured-dispatches';
import { openReproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import { sha256OfFile } from '../support/files';
import { kernelFile } from '../support/project-file-names';
import type { TuneOptions } from './options';

/** Checks what every judging reads: results under other captures or roles are neither comparable nor cacheable. */
export function unchangedCheck({ reproducer, capture }: TuneOptions): () => void {
  const now = (): string => {
    const opened = openReproducer(reproducer);
    const { chosen } = chooseDispatches(opened, capture, 'all');
    const files = chosen.flatMap(({ folder }) => [captureFile(folder), selfcheckFile(folder)]);
    return [join(opened.root, kernelFile), ...files]
      .map((path) => `${path} ${existsSync(path) ? sha256OfFile(path) : 'none'}`)
      .join();
  };
  const before = now();
  return () => {
    if (now() === before) return;
    throw new KernloopError(
      'TUNE_INPUT_CHANGED',
      `${kernelFile} or a capture was changed while the search ran`,
      'run it once more: what was finished before the change stays',
    );
  };
}
