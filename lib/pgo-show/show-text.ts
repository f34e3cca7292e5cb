import type { Deps } from '../deps/deps';
import type { SourceFiles } from '../replay/source-files';
import { gateWords } from '../pgo/layout';
import { formatCount, table } from '../support/report';
import type { PgoShowResult, ShownBlock, ShownFunction, ShownLine } from './result';

export function printProfile(
  result: PgoShowResult,
  asSource: boolean,
  sources: SourceFiles,
  { report }: Pick<Deps, 'report'>,
): void {
  const counted = result.sampling === 'all' ? 'everybody counted' : `${result.sampling} counted`;
  report.result(`${result.kernel}: ${result.arch}, waves of ${result.wave_size}, ${counted}`);
  if (asSource) printSource(result, sources, report);
  else for (const one of result.functions) printFunction(one, result.spills_of, report);
}

type Report = Deps['report'];

function printFunction(shown: ShownFunction, spillsOf: string | null, report: Report): void {
  report.result(`${shown.symbol ?? shown.name} (hash ${shown.hash}): ${shown.counters} counters, ${shown.pattern}`);
  const spills = spillsOf === null ? [] : [`spills (${gateWords(spillsOf)})`];
  const rows = shown.blocks.map((block) => [
    String(block.block),
    ...figures(block),
    ...(spillsOf === null ? [] : [spilled(block)]),
    placeOf(block),
    block.text ?? '',
  ]);
  for (const line of table([['block', 'lanes', 'waves', 'uniform', '', ...spills, 'line', ''], ...rows]))
    report.result(line);
  const { spill_store_dwords: stores, spill_load_dwords: loads } = shown.outside_blocks;
  if (stores + loads > 0) report.result(`in blocks that the compiler made: ${stores} dwords stored, ${loads} loaded`);
}

/** Prints lines of the files that the profile names and the workspace has. */
function printSource(result: PgoShowResult, sources: SourceFiles, report: Report): void {
  for (const file of new Set(result.lines.filter(({ text }) => text !== null).map((line) => line.file))) {
    const known = new Map(result.lines.filter((line) => line.file === file).map((line) => [line.line, line]));
    report.result(`${file}:`);
    const numbers = [...known.keys()];
    const [first, last] = [Math.max(1, Math.min(...numbers) - 2), Math.max(...numbers) + 2];
    const rows: string[][] = [];
    for (let number = first; number <= last; number += 1) {
      const text = sources.whole(file, number);
      if (text === null) continue;
      rows.push([...sourceFigures(known.get(number), result.spills_of), String(number), text]);
    }
    const header = ['lanes', 'waves', 'uniform', '', ...(result.spills_of === null ? [] : ['spills']), '', ''];
    for (const line of table([header, ...rows])) report.result(line);
  }
}

function sourceFigures(line: ShownLine | undefined, spillsOf: string | null): string[] {
  const columns = spillsOf === null ? 4 : 5;
  if (line === undefined) return Array.from({ length: columns }, () => '');
  return [...figures(line), ...(spillsOf === null ? [] : [spilled(line)])];
}

function figures(one: Pick<ShownBlock, 'lanes' | 'waves' | 'uniform_share' | 'letter'>): string[] {
  const count = (value: number | null): string => (value === null ? '-' : formatCount(value));
  const share = one.uniform_share === null ? '-' : `${(100 * one.uniform_share).toFixed(1)}%`;
  // A block that no lane reached has no uniformity, whatever the rule calls it.
  const letter = one.uniform_share === null ? '' : (one.letter ?? '');
  return [count(one.lanes), count(one.waves), share, letter];
}

function spilled({
  spill_store_dwords: stores,
  spill_load_dwords: loads,
}: Pick<ShownBlock, 'spill_store_dwords' | 'spill_load_dwords'>): string {
  return stores + loads === 0 ? '' : `${stores}+${loads}`;
}

const placeOf = ({ file, line }: ShownBlock): string => (file === null || line === null ? '' : `${file}:${line}`);
