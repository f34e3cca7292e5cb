/** What ninja knows of an output (`deps = gcc`): when it was built, and what that read. */
export interface NinjaDeps {
  mtimeMs: number;
  /** As ninja names them: relative to its folder, where they are not absolute. */
  inputs: string[];
}

const signature = '# ninjadeps\n';
/** ninja itself writes none that is longer. */
const maxRecordBytes = 2 ** 19;

/** Reads `.ninja_deps` of ninja 1.9 and newer (version 4), by output; later records of an output replace earlier ones. Null for another file. */
export function readNinjaDeps(bytes: Buffer): Map<string, NinjaDeps> | null {
  if (bytes.toString('latin1', 0, signature.length) !== signature || bytes.length < signature.length + 4) return null;
  if (bytes.readUInt32LE(signature.length) !== 4) return null;
  const paths: string[] = [];
  const found = new Map<string, NinjaDeps>();
  let at = signature.length + 4;
  while (at + 4 <= bytes.length) {
    const head = bytes.readUInt32LE(at);
    const size = head & 0x7fffffff;
    const start = at + 4;
    at = start + size;
    // The last record of a build that was stopped may be a part.
    if (size % 4 !== 0 || size < 4 || size > maxRecordBytes || at > bytes.length) break;
    if (head >>> 31 === 0) {
      const id = ~bytes.readInt32LE(at - 4);
      if (id !== paths.length) break;
      paths.push(bytes.toString('utf8', start, at - 4).replace(/\0+$/, ''));
    } else if (size >= 12) {
      const output = paths[bytes.readUInt32LE(start)];
      const inputs: string[] = [];
      for (let place = start + 12; place < at; place += 4) inputs.push(paths[bytes.readUInt32LE(place)] ?? '');
      if (output === undefined || inputs.includes('')) break;
      found.set(output, { mtimeMs: Number(bytes.readBigInt64LE(start + 4) / 1_000_000n), inputs });
    }
  }
  return found;
}
