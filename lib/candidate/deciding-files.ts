import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { captureFile, selfcheckFile } from '../archive/capture-files';
import { chooseDispatches } from '../replay/captured-dispatches';
import { openReproducer } from '../reproducer/reproducer';
import { sha256OfFile } from '../support/files';
import { kernelFile } from '../support/project-file-names';

/**
 * Digests, by path, of the files that every judging reads: results under other captures or roles are neither comparable
 * nor cacheable. Null for a file that is not there.
 */
export function decidingFiles(options: {
  reproducer: string;
  capture?: string | undefined;
}): Record<string, string | null> {
  const opened = openReproducer(options.reproducer);
  const { chosen } = chooseDispatches(opened, options.capture, 'all');
  const files = chosen.flatMap(({ folder }) => [captureFile(folder), selfcheckFile(folder)]);
  return Object.fromEntries(
    [join(opened.root, kernelFile), ...files].map((path) => [path, existsSync(path) ? sha256OfFile(path) : null]),
  );
}
