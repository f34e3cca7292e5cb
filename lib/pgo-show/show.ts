import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Deps } from '../deps/deps';
import { choiceFile } from '../reproducer/optimized-variant';
import { SourceFiles } from '../replay/source-files';
import { openReproducer, type Reproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import { readJson } from '../support/schema';
import { z } from 'zod';
import { pgoPaths, variantsOf, type VariantName } from '../pgo/layout';
import { readMap, type MapFunction } from '../pgo/map-json';
import type { PgoShowOptions } from './options';
import { readWaves, type ProfileFunction } from '../pgo/profile';
import { readReport, type ReportFunction } from '../pgo/report-json';
import type { PgoShowResult, ShownBlock, ShownFunction, ShownLine } from './result';
import { printProfile } from './show-text';
import { uniformityOf } from './uniformity';

/** Counts of each block in the merged profile, and the spills of register allocation there in a variant. */
export async function pgoShow(options: PgoShowOptions, deps: Deps): Promise<PgoShowResult> {
  const reproducer = openReproducer(options.reproducer);
  const result = profileOf(reproducer, options);
  printProfile(result, options.source, new SourceFiles(reproducer), deps);
  return Promise.resolve(result);
}

export function profileOf(reproducer: Reproducer, options: Pick<PgoShowOptions, 'spills' | 'all'>): PgoShowResult {
  const paths = pgoPaths(reproducer.root);
  const profile = readWaves(paths);
  const map = readMap(paths.map);
  const spillsOf = variantOf(reproducer, options.spills);
  const report = spillsOf === null ? null : readReport(join(paths.variants, `${spillsOf}.report.json`));
  const sources = new SourceFiles(reproducer);
  const functions = profile.functions
    .map((one) => {
      const mapped = map.functions.find(({ name, hash }) => name === one.name && isSameHash(hash, one.hash));
      const reported = report?.functions.find(({ name }) => name === one.name);
      return describe(one, mapped, reported, sources);
    })
    .filter(({ symbol }) => options.all || symbol === reproducer.config.symbol);
  if (functions.length === 0) {
    throw new KernloopError(
      'PGO_PROFILE_MISSING',
      `the profile has no ${reproducer.config.symbol}`,
      '--all shows the functions that it has',
    );
  }
  return {
    kernel: reproducer.config.name,
    arch: profile.arch,
    wave_size: profile.wave_size,
    sampling: profile.sampling,
    spills_of: spillsOf,
    functions,
    lines: linesOf(functions),
  };
}

/** Null if nothing was built yet. */
function variantOf({ root, config }: Reproducer, named: VariantName | undefined): VariantName | null {
  const paths = pgoPaths(root);
  const kept = existsSync(choiceFile(root))
    ? readJson(choiceFile(root), z.looseObject({ kept: z.string().nullable() }), 'PGO_BUILD_MISSING', '').kept
    : null;
  const name = named ?? ((kept ?? variantsOf(config.language)[1]) as VariantName);
  if (existsSync(join(paths.variants, `${name}.report.json`))) return name;
  if (named === undefined) return null;
  throw new KernloopError(
    'PGO_BUILD_MISSING',
    `${config.name}: ${name} was not built`,
    'run `kernloop pgo-build`, or leave --spills out',
  );
}

function describe(
  profiled: ProfileFunction,
  mapped: MapFunction | undefined,
  reported: ReportFunction | undefined,
  sources: SourceFiles,
): ShownFunction {
  const spills = spillsByBlock(reported);
  const known = new Map(blocksOf(reported).map((one) => [one.block, one]));
  const blocks = (mapped?.blocks ?? []).map((place, block): ShownBlock => {
    const { lanes, uniform } = countsOf(profiled, mapped, block, place.class);
    const file = place.file === undefined ? null : sources.shown(place.file);
    const waves = profiled.classes[place.class]?.waves;
    const all = known.get(block)?.lanes ?? lanes;
    return {
      block,
      file,
      line: place.line ?? null,
      column: place.column ?? null,
      text: file === null || place.line === undefined ? null : sources.line(file, place.line),
      lanes: all,
      waves: waves === undefined ? null : Number(waves),
      ...uniformityOf({
        lanes: all,
        uniformLanes: uniform,
        isStatic: mapped?.classes[place.class]?.static_uniform ?? false,
      }),
      ...(spills.get(block) ?? { spill_store_dwords: 0, spill_load_dwords: 0 }),
    };
  });
  return {
    name: profiled.name,
    symbol: mapped?.symbol ?? null,
    hash: profiled.hash,
    is_kernel: mapped?.kernel ?? false,
    pattern: profiled.pattern,
    counters: profiled.counters.length,
    blocks,
    outside_blocks: spills.get(null) ?? { spill_store_dwords: 0, spill_load_dwords: 0 },
  };
}

/** LLVM counts only some blocks; the same lanes reach all blocks of one class. */
function countsOf(
  profiled: ProfileFunction,
  mapped: MapFunction | undefined,
  block: number,
  ofClass: number,
): { lanes: number | null; uniform: number | null } {
  const counters = mapped?.counters ?? [];
  const isBlock = (index: number): boolean => counters[index]?.kind === 'block';
  const own = counters.findIndex((one, index) => isBlock(index) && one.block === block);
  const index = own >= 0 ? own : counters.findIndex((one, at) => isBlock(at) && one.class === ofClass);
  const lanes = profiled.counters[index];
  const uniform = profiled.uniform[index] ?? profiled.classes[ofClass]?.uniform_lanes;
  return {
    lanes: lanes === undefined ? null : Number(lanes),
    uniform: uniform === undefined ? null : Number(uniform),
  };
}

type Spills = Pick<ShownBlock, 'spill_store_dwords' | 'spill_load_dwords'>;

/** Spills by block of the instrumented code; null is the key for blocks that the compiler created. */
function spillsByBlock(reported: ReportFunction | undefined): Map<number | null, Spills> {
  const found = new Map<number | null, Spills>();
  for (const { block, function: other, store_dwords: stores, load_dwords: loads } of reported?.machine_blocks ?? []) {
    // Blocks of an inlined function count under null.
    const key = other === undefined ? (block ?? null) : null;
    const before = found.get(key) ?? { spill_store_dwords: 0, spill_load_dwords: 0 };
    found.set(key, {
      spill_store_dwords: before.spill_store_dwords + stores,
      spill_load_dwords: before.spill_load_dwords + loads,
    });
  }
  return found;
}

const reportBlockSchema = z.looseObject({
  block: z.int(),
  lanes: z.number().nullable(),
});

function blocksOf(reported: ReportFunction | undefined): z.output<typeof reportBlockSchema>[] {
  const parsed = z.array(reportBlockSchema).safeParse(reported?.['blocks'] ?? []);
  return parsed.success ? parsed.data : [];
}

function linesOf(functions: readonly ShownFunction[]): ShownLine[] {
  const found = new Map<string, ShownLine>();
  for (const { block: _block, column: _column, ...one } of functions.flatMap(({ blocks }) => blocks)) {
    const { file, line } = one;
    if (file === null || line === null) continue;
    const key = `${file}:${line}`;
    const before = found.get(key);
    const busiest = before === undefined || (one.waves ?? 0) > (before.waves ?? 0) ? { ...one, file, line } : before;
    found.set(key, {
      ...busiest,
      spill_store_dwords: one.spill_store_dwords + (before?.spill_store_dwords ?? 0),
      spill_load_dwords: one.spill_load_dwords + (before?.spill_load_dwords ?? 0),
    });
  }
  return [...found.values()].sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
}

/** Compares numbers: the plugin and kernloop-pgo may write leading zeros. */
function isSameHash(one: string, other: string): boolean {
  return BigInt(one) === BigInt(other);
}
