import { invalid, type Level } from './probe-file';

/** kernel.info: data from the probe engine for the driver. */
export interface KernelInfo {
  readonly name: string;
  readonly parameters: number;
  readonly maps: readonly { readonly level: Level; readonly bytes: number | 'dynamic' }[];
  /** Last line, only in the artifact. */
  readonly hook: string | null;
}

export function readKernelInfo(text: string, path: string): KernelInfo {
  const [name = '', parameters = '', count = '', ...rest] = text.split('\n');
  if (name === '') throw invalid(path, 'line 1: the name of the kernel is missing');
  const number = (line: string, at: number, what: string): number => {
    if (!/^\d{1,6}$/.test(line.trim())) throw invalid(path, `line ${at}: "${line}" is not the number of ${what}`);
    return Number(line);
  };
  const maps = number(count, 3, 'maps');
  const lines = rest.slice(0, maps).map((line, index) => {
    const found = /^([01]),(-1|\d+)$/.exec(line.trim());
    if (!found) throw invalid(path, `line ${index + 4}: "${line}" is not the level and the bytes of a map`);
    return {
      level: found[1] === '1' ? ('warp' as const) : ('thread' as const),
      bytes: found[2] === '-1' ? ('dynamic' as const) : Number(found[2]),
    };
  });
  if (lines.length < maps) throw invalid(path, `line 3: it says ${maps} maps, ${lines.length} follow`);
  return {
    name,
    parameters: number(parameters, 2, 'parameters'),
    maps: lines,
    hook: rest[maps]?.trim() ? rest[maps].trim() : null,
  };
}
