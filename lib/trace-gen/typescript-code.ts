/** Statements of the TypeScript reader's functions that are the same for every probe file. */

export const sectionBody = `const spec = specs[index];
if (!spec) throw new Misfit(\`section[\${index}]\`);
const warps: readonly bigint[] = !spec.isWarp ? [1n] : dialect === 'hip-total' ? [64n, 32n] : dialect === 'total' ? [32n, 64n] : [32n];
let misfit: unknown;
for (const warp of warps) {
  try {
    const units = candidate(dialect, index, table, warp);
    if (spec.unitBytes === null || units.unitBytes === BigInt(spec.unitBytes)) return units;
    misfit = new Misfit(\`section[\${index}].size gives \${units.unitBytes} bytes a unit, its map has \${spec.unitBytes}\`);
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    misfit = error;
  }
}
throw misfit;`;

export const placeBody = `const { blocks, threads, sections } = table;
const spec = specs[index];
const first = sections[index]?.first ?? 0n;
if (!spec) throw new Misfit(\`section[\${index}]\`);
const low = first & 0xffffffffn;
const high = first >> 32n;
const where = \`section[\${index}]\`;
const inWarps = (size: bigint) => {
  const read = threads / size;
  const written = (threads + size - 1n) / size;
  return { written, units: blocks > 1n ? read : written, read, warp: size };
};
const inThreads = { written: threads, units: threads, read: threads, warp: 1n };
if (dialect === 'warp-div') {
  if (high < 1n || high > 1024n || (spec.isWarp !== (high !== 1n) && threads !== 1n)) {
    throw new Misfit(\`\${where}.warpDiv is \${high}\`);
  }
  if (!spec.isWarp) return { ...inThreads, unitBytes: low, step: blocks * threads * low };
  if (high === 32n || high === 64n) return { ...inWarps(high), unitBytes: low, step: (blocks * threads * low) / high };
  const units = threads / high;
  if (units !== (threads + 31n) / 32n && units !== (threads + 63n) / 64n) {
    throw new Misfit(\`\${where}.warpDiv is \${high}, and blocks of \${threads} threads have no such warps\`);
  }
  return { unitBytes: low, written: units, units, read: units, warp: high, step: blocks * units * low };
}
const units = spec.isWarp ? inWarps(warp) : inThreads;
const count = blocks * units.written;
if (dialect === 'unit') return { ...units, unitBytes: first, step: count * first };
const recorded = dialect === 'total' ? first : low;
// 32 bits hold what is left of 4 GiB and more.
const whole = count * BigInt(spec.unitBytes ?? 0);
const total = dialect === 'hip-total' && spec.unitBytes !== null && (whole & 0xffffffffn) === recorded ? whole : recorded;
if (total % count !== 0n) throw new Misfit(\`\${where}.size is \${total}, no multiple of the \${count} units of the grid\`);
return { ...units, unitBytes: total / count, step: recorded };`;

export const placesBody = `let at = BigInt(32 + 16 * specs.length);
let expected = at;
const places: Place[] = [];
for (const [index, { offset }] of table.sections.entries()) {
  const units = unitsOf(dialect, index, table);
  const end = at + table.blocks * units.written * units.unitBytes;
  if (end > table.fileBytes) throw new Misfit(\`section[\${index}].size: it ends at byte \${end}, the file has \${table.fileBytes}\`);
  if (offset !== expected) throw new Misfit(\`section[\${index}].offset is \${offset}, what comes before ends at \${expected}\`);
  places.push({
    offset: Number(at),
    recorded: Number(offset),
    unitBytes: Number(units.unitBytes),
    units: Number(units.units),
    read: Number(units.read),
    warp: Number(units.warp),
  });
  at = end;
  expected += units.step;
}
if (at !== table.fileBytes) throw new Misfit(\`the sections end at byte \${at}, the file has \${table.fileBytes}\`);
return places;`;

export const chooseBody = `const fits: Place[][] = [];
const reasons: string[] = [];
for (const dialect of wanted ? [wanted] : dialects) {
  try {
    fits.push(placesIn(dialect, table));
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    reasons.push(\`\${dialect}: \${error.message}\`);
  }
}
const [chosen] = fits;
if (!chosen) throw new Error(\`no dialect of trace files fits: \${reasons.join('; ')}\`);
const meant = new Set(fits.map((places) => JSON.stringify(places.map(({ offset, unitBytes, units }) => [offset, unitBytes, units]))));
if (meant.size > 1) throw new Error('the file fits several dialects: name one');
return chosen;`;

export const parseBody = `const file = openSync(path, 'r');
const head = new DataView(new ArrayBuffer(32 + 16 * specs.length));
let fileBytes: number;
try {
  fileBytes = fstatSync(file).size;
  if (fileBytes < 32) throw new Error(\`the file has \${fileBytes} bytes, a header is of 32\`);
  readSync(file, head, 0, head.byteLength, 0);
} finally {
  closeSync(file);
}
const word = (index: number) => head.getUint32(4 * index, true);
const header: TraceHeader = {
  gridDimX: word(0),
  gridDimY: word(1),
  gridDimZ: word(2),
  blockDimX: word(3),
  blockDimY: word(4),
  blockDimZ: word(5),
  sharedMemBytes: word(6),
  numProbes: word(7),
};
if (header.numProbes !== specs.length) throw new Error(\`numProbes is \${header.numProbes}, the probe file has \${specs.length} maps\`);
if (fileBytes < head.byteLength) throw new Error(\`numProbes: \${specs.length} sections are more than the file has\`);
const table: Table = {
  sections: specs.map((_, index) => ({
    first: head.getBigUint64(32 + 16 * index, true),
    offset: head.getBigUint64(40 + 16 * index, true),
  })),
  blocks: BigInt(header.gridDimX) * BigInt(header.gridDimY) * BigInt(header.gridDimZ),
  threads: BigInt(header.blockDimX) * BigInt(header.blockDimY) * BigInt(header.blockDimZ),
  fileBytes: BigInt(fileBytes),
};
if (table.blocks === 0n || table.threads === 0n || table.threads > 1024n) throw new Error('gridDim and blockDim are those of no launch');
const places = choose(table, options.dialect);
if (options.offsets === undefined && places.some(({ offset, recorded }) => offset !== recorded)) {
  throw new Error('the file records other offsets than where its maps are: say "repaired" or "recorded"');
}
const sections: TraceSection[] = [];
const records = new Map<string, unknown>();
for (const [index, place] of places.entries()) {
  const spec = specs[index];
  if (!spec) continue;
  const isRecorded = options.offsets === 'recorded';
  const offset = isRecorded ? place.recorded : place.offset;
  const units = isRecorded ? place.read : place.units;
  const blocks = Number(table.blocks);
  if (offset + blocks * units * place.unitBytes > fileBytes) throw new Error('the recorded offsets lead out of the file');
  sections.push({ size: place.unitBytes, warpDiv: place.warp, offset });
  const count = Math.floor(place.unitBytes / spec.recordBytes);
  records.set(spec.name, new Records(path, spec.fields, spec.recordBytes, offset, place.unitBytes, blocks, units, count));
}
return { header, sections, records: Object.fromEntries(records) as unknown as TraceRecords };`;
