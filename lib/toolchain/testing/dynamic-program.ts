/** An ELF64 program that has only a dynamic section: names of libraries and their search paths. */
export function dynamicProgram(needed: readonly string[], where: { rpath?: string; runpath?: string } = {}): Buffer {
  const base = 0x400000n;
  const texts = [...needed, where.rpath ?? '', where.runpath ?? ''];
  const strings = Buffer.from(`\0${texts.map((text) => `${text}\0`).join('')}`);
  const at = (index: number): bigint => BigInt(1 + texts.slice(0, index).join('\0').length + (index > 0 ? 1 : 0));
  const header = 64;
  const stringsAt = header + 2 * 56;
  const dynamicAt = stringsAt + strings.length;
  const entries: [bigint, bigint][] = [
    ...needed.map((_, index): [bigint, bigint] => [1n, at(index)]),
    [5n, base + BigInt(stringsAt)],
    [10n, BigInt(strings.length)],
    ...(where.rpath === undefined ? [] : [[15n, at(needed.length)] as [bigint, bigint]]),
    ...(where.runpath === undefined ? [] : [[29n, at(needed.length + 1)] as [bigint, bigint]]),
    [0n, 0n],
  ];
  const bytes = Buffer.alloc(dynamicAt + entries.length * 16);
  Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]).copy(bytes);
  bytes.writeBigUInt64LE(BigInt(header), 32);
  bytes.writeUInt16LE(2, 56);
  const segment = (index: number, type: number, offset: number, size: number): void => {
    const place = header + index * 56;
    bytes.writeUInt32LE(type, place);
    bytes.writeBigUInt64LE(BigInt(offset), place + 8);
    bytes.writeBigUInt64LE(base + BigInt(offset), place + 16);
    bytes.writeBigUInt64LE(BigInt(size), place + 32);
  };
  segment(0, 1, 0, bytes.length);
  segment(1, 2, dynamicAt, entries.length * 16);
  strings.copy(bytes, stringsAt);
  entries.forEach(([tag, value], index) => {
    bytes.writeBigUInt64LE(tag, dynamicAt + index * 16);
    bytes.writeBigUInt64LE(value, dynamicAt + index * 16 + 8);
  });
  return bytes;
}
