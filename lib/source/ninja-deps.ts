/** Ninja's record of an output (`deps = gcc`): build time and inputs. */
export interface NinjaDeps {
  mtimeMs: number;
  /** Inputs as ninja names them; relative ones are relative to ninja's folder. */
  inputs: string[];
}

const signature = '# ninjadeps\n';
/** ninja writes no longer records. */
const maxRecordBytes = 2 ** 19;

/** Reads `.ninja_deps` of ninja 1.9 and newer (version 4), by output; later records win. Null for another file. */
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
    // An interrupted build may leave its last record incomplete.
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
