const headerBytes = 64;
const sectionHeaderBytes = 64;

/** An ELF64 file with these sections. */
export function programWith(sections: Readonly<Record<string, Buffer>>): Buffer {
  const names = ['', ...Object.keys(sections), '.shstrtab'];
  const strings = Buffer.from(names.map((name) => `${name}\0`).join(''));
  const contents = [Buffer.alloc(0), ...Object.values(sections), strings];
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32BE(0x7f454c46, 0);
  header.set([2, 1], 4);
  header.writeUInt16LE(3, 16);
  header.writeUInt16LE(62, 18);
  header.writeBigUInt64LE(BigInt(headerBytes), 40);
  header.writeUInt16LE(sectionHeaderBytes, 58);
  header.writeUInt16LE(names.length, 60);
  header.writeUInt16LE(names.length - 1, 62);
  let offset = headerBytes + names.length * sectionHeaderBytes;
  let nameAt = 0;
  const rows = names.map((name, index) => {
    const row = Buffer.alloc(sectionHeaderBytes);
    const size = contents[index]?.length ?? 0;
    row.writeUInt32LE(nameAt, 0);
    row.writeBigUInt64LE(BigInt(offset), 24);
    row.writeBigUInt64LE(BigInt(size), 32);
    nameAt += name.length + 1;
    offset += size;
    return row;
  });
  return Buffer.concat([header, ...rows, ...contents]);
}

/** A bundle of HIP code for these targets, as ClangOffloadBundler lays it out. The code itself is empty. */
export function bundle(targets: readonly string[]): Buffer {
  const ids = ['host-x86_64-unknown-linux--', ...targets.map((target) => `hipv4-amdgcn-amd-amdhsa--${target}`)];
  const count = Buffer.alloc(8);
  count.writeBigUInt64LE(BigInt(ids.length));
  const entries = ids.map((id) => {
    const entry = Buffer.alloc(24);
    entry.writeBigUInt64LE(BigInt(id.length), 16);
    return Buffer.concat([entry, Buffer.from(id)]);
  });
  return Buffer.concat([Buffer.from('__CLANG_OFFLOAD_BUNDLE__'), count, ...entries]);
}
