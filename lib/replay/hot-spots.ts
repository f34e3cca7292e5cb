import { readCapturedCode } from '../archive/captured-code';
import type { Deps } from '../deps/deps';
import { sha256 } from '../support/files';
import { readLineTable, type SourceLine } from '../toolchain/line-table';
import {
  hotSpotFigures,
  type Figures,
  type HotInstruction,
  type HotLine,
  type HotSpotOrder,
  type HotSpots,
} from './hot-spot-json';
import type { HotSpotEvent } from './replay-events';
import type { Code } from '../reproducer/reproducer';
import type { ReplaySession } from './session';
import type { SourceFiles } from './source-files';
import { readRegularFile } from '../support/regular-file';

/** Code object that a replay ran, or the reason why it could not be read. */
export async function codeBytes(code: Code, { reproducer }: ReplaySession, deps: Deps): Promise<Buffer | string> {
  return code.kind === 'variant' ? readRegularFile(code.path) : await readCapturedCode(reproducer.capture, deps);
}

export interface CodeLines {
  codeObject: string;
  table: { at(address: number): SourceLine | undefined };
}

/** Line table of the code, or the reason why there is none. */
export function linesOf(bytes: Buffer | string, events: readonly HotSpotEvent[]): CodeLines | string {
  if (typeof bytes === 'string') return bytes;
  const codeObject = sha256(bytes);
  if (!events.some((event) => event.code_object === codeObject))
    return 'what ran is not this file itself but a part of it';
  const table = readLineTable(bytes);
  if (table === null) return 'the code has no line information; `kernloop recompile --line-info` builds code that has';
  return { codeObject, table };
}

/** Finds what each instruction did, and the source line that it came from. */
export function summarise(
  events: readonly HotSpotEvent[],
  lines: CodeLines | string,
  order: HotSpotOrder,
  sources: SourceFiles,
): HotSpots {
  const all = events.map((event) => locate(event, lines, sources));
  const instructions = order === 'branches' ? all.filter(decidesLanes) : all;
  return {
    by: order,
    no_lines: typeof lines === 'string' ? lines : null,
    lines: order === 'branches' ? [] : sorted(byLine(instructions, sources), order),
    instructions: sorted(instructions, order),
  };
}

/** Whether an instruction is part of a source branch: the jump, or what disables lanes before it. */
const decidesLanes = ({ branch, figures }: HotInstruction): boolean => branch || weights.splits(figures) > 0;

function locate(event: HotSpotEvent, lines: CodeLines | string, sources: SourceFiles): HotInstruction {
  const { pc, offset = null, instruction, branch = false } = event;
  const isKnown = typeof lines !== 'string' && event.code_object === lines.codeObject && offset !== null;
  const place = isKnown ? lines.table.at(Number(offset)) : undefined;
  return {
    pc,
    offset,
    instruction,
    file: place ? sources.shown(place.file) : null,
    line: place?.line ?? null,
    branch,
    figures: figuresOf(event),
  };
}

function figuresOf(event: HotSpotEvent): Figures {
  const counted = hotSpotFigures.flatMap((name): [string, number][] => {
    const value = event[name];
    return typeof value === 'number' && value > 0 ? [[name, value]] : [];
  });
  return Object.fromEntries(event.vector ? [...counted, ['vector_executed', event.executed]] : counted);
}

function byLine(instructions: readonly HotInstruction[], sources: SourceFiles): HotLine[] {
  const found = new Map<string, HotLine>();
  for (const { file, line, figures } of instructions) {
    if (file === null || line === null) continue;
    const key = `${file}:${line}`;
    const known = found.get(key) ?? { file, line, text: sources.line(file, line), figures: {} };
    for (const [name, value] of Object.entries(figures)) known.figures[name] = (known.figures[name] ?? 0) + value;
    found.set(key, known);
  }
  return [...found.values()];
}

const figure = (figures: Figures, name: string): number => figures[name] ?? 0;

export const conflictsOf = (figures: Figures): number =>
  figure(figures, 'lds_bank_conflicts') + figure(figures, 'lds_address_conflicts');

export const scratchBytesOf = (figures: Figures): number =>
  figure(figures, 'scratch_bytes_read') + figure(figures, 'scratch_bytes_written');

export const weights: Record<HotSpotOrder, (figures: Figures) => number> = {
  executed: (figures) => figure(figures, 'executed'),
  lanes: (figures) => figure(figures, 'lanes'),
  transactions: (figures) => figure(figures, 'memory_transactions'),
  conflicts: conflictsOf,
  splits: (figures) => figure(figures, 'splits'),
  branches: (figures) => Math.max(figure(figures, 'splits'), figure(figures, 'split_before')),
  scratch: scratchBytesOf,
};

/** Sorts the heaviest first; equal ones keep their order in the code. */
function sorted<Spot extends { figures: Figures }>(spots: readonly Spot[], order: HotSpotOrder): Spot[] {
  const weight = weights[order];
  return [...spots].sort((a, b) => weight(b.figures) - weight(a.figures));
}
