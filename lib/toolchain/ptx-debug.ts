/** A run of lines such as `.b8 95,90,78`, in which PTX stores the strings of debug information. */
const byteLines = /(?:^[ \t]*\.b8 [\d, ]+;?[ \t]*\n)+/gm;

/** Rewrites debug strings in PTX. A string whose length would change stays, because offsets point into them. */
export function mapDebugStrings(ptx: string, map: (text: string) => string): string {
  return ptx.replaceAll(byteLines, (block) => {
    const bytes = (block.match(/\d+(?=\s*[,;\n])/g) ?? []).map(Number);
    const text = Buffer.from(bytes).toString('latin1');
    const mapped = map(text);
    if (mapped === text || mapped.length !== text.length) return block;
    const replaced = [...Buffer.from(mapped, 'latin1')];
    let index = 0;
    return block.replaceAll(/\d+(?=\s*[,;\n])/g, () => String(replaced[index++]));
  });
}
