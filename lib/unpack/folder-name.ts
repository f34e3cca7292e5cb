import { basename, extname } from 'node:path';

/** Name of the folder that a packed capture becomes where none is named. */
export function folderName(file: string): string {
  const packed = file.replace(/\.age$/, '');
  return basename(packed, extname(packed));
}
