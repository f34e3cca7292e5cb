import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { sha256OfFile, writeJson } from '../support/files';
import { jsonReader } from '../support/lenient-json';
import { captureFile, keptFile } from './capture-files';

const keptSchema = z.looseObject({
  schema: z.literal('kernloop.kept/1'),
  capture_sha256: z.string(),
  from: z.string().max(4096),
});

/** Marks a capture as brought from elsewhere: no run of the app replaces it unasked. `from`: the file or folder that it was. */
export function keepCapture(folder: string, from: string): void {
  const kept: z.input<typeof keptSchema> = {
    schema: 'kernloop.kept/1',
    capture_sha256: sha256OfFile(captureFile(folder)),
    from,
  };
  writeJson(join(folder, keptFile), kept);
}

/** The app's own capture took the place of the one from elsewhere. */
export const forgetKept = (folder: string): void => rmSync(join(folder, keptFile), { force: true });

/** Origin of a capture from elsewhere, and its digest; null for one of the app. */
export function keptIn(
  folder: string,
  isThere: (path: string) => boolean = existsSync,
): { from: string; sha256: string } | null {
  const file = captureFile(folder);
  if (!isThere(join(folder, keptFile)) || !isThere(file)) return null;
  const { data } = keptSchema.safeParse(jsonReader()(join(folder, keptFile)));
  // Another capture may be there since.
  return data?.capture_sha256 === sha256OfFile(file) ? { from: data.from, sha256: data.capture_sha256 } : null;
}
