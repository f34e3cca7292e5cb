import { isDeepStrictEqual } from 'node:util';
import { decidingFiles } from '../candidate/deciding-files';
import { KernloopError } from '../support/error';
import { kernelFile } from '../support/project-file-names';
import type { TuneOptions } from './options';

/** Checks that a search ends with the files that it began with. */
export function unchangedCheck(options: TuneOptions): () => void {
  const before = decidingFiles(options);
  return () => {
    if (isDeepStrictEqual(decidingFiles(options), before)) return;
    throw new KernloopError(
      'TUNE_INPUT_CHANGED',
      `${kernelFile} or a capture was changed while the search ran`,
      'run it once more: what was finished before the change stays',
    );
  };
}
