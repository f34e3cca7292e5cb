import type { Value } from '../support/expression';
import { parseFormula, type Formula } from '../support/expression';
import { KernloopError } from '../support/error';
import { splitOutside } from '../reproducer/configured-launch';
import type { TuneOptions } from './options';

export interface Parameter {
  name: string;
  values: readonly Value[];
}

export type Parameters = Readonly<Record<string, Value>>;

/** Reads "BLOCK=64,128"; the command line splits an option at commas, so "BLOCK=64", "128" means the same. */
export function readParameters(set: readonly string[]): Parameter[] {
  const found: { name: string; values: Value[] }[] = [];
  for (const item of set.flatMap((text) => text.split(','))) {
    const [, name, first] = /^\s*([A-Za-z_]\w*)\s*=(.*)$/s.exec(item) ?? [];
    if (name !== undefined) {
      // Every JavaScript object has these names, also those that the plot receives.
      if (name in {}) throw invalid(`--set ${name}: that name is reserved`, 'give what is to be tuned another name');
      if (found.some((parameter) => parameter.name === name))
        throw invalid(`--set ${name} is given twice`, 'give all values at once: NAME=1,2,4');
      found.push({ name, values: [] });
    }
    const last = found.at(-1);
    if (!last) throw invalid(`--set ${item}: no name and no "="`, 'give NAME=VALUE,VALUE,…');
    const value = readValue(first ?? item);
    if (value === '') throw invalid(`--set ${last.name}: an empty value`, 'give NAME=VALUE,VALUE,…');
    if (!last.values.includes(value)) last.values.push(value);
  }
  if (found.length === 0) {
    throw invalid(
      'nothing is to be searched',
      'name a parameter and its values: --set BLOCK=64,128,256, or "options": { "tune": { "set": […] } } of kernel.json; a Triton kernel is searched without one if its app has a @triton.autotune for it',
    );
  }
  return found;
}

function readValue(text: string): Value {
  const word = text.trim();
  if (/^(true|True)$/.test(word)) return true;
  if (/^(false|False)$/.test(word)) return false;
  if (word === '' || !Number.isFinite(Number(word))) return word;
  const value = Number(word);
  if (/^[-+]?0\d+$/.test(word)) throw invalid(`--set: ${word} is another number in C++`, 'write it without the zero');
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw invalid(`--set: ${word} cannot be told from its neighbours`, 'give whole numbers below 2^53');
  return value;
}

/** Joins the texts before splitting: the command line also split at the commas of function calls. */
export function readConstraints(texts: readonly string[]): Formula[] {
  return splitOutside(texts.join(','), ',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => parseFormula(text, '--constraint'));
}

export interface Space {
  parameters: readonly Parameter[];
  constraints: readonly Formula[];
  /** The only configurations, if they do not form a grid. */
  listed?: readonly Parameters[] | undefined;
}

export interface Found {
  configurations: Parameters[];
  /** Size of the whole grid. */
  total: number;
  excluded: number | null;
}

/** `known`: names that constraints may use in addition to the parameters. */
export function configurations(
  { parameters, constraints, listed }: Space,
  known: Parameters,
  options: Pick<TuneOptions, 'search' | 'samples' | 'seed' | 'maxCandidates'>,
): Found {
  // A list is a grid of one dimension.
  const grid = listed === undefined ? parameters : [{ name: '', values: listed.map((_, index) => index) }];
  const total = grid.reduce((product, { values }) => product * values.length, 1);
  const having = (places: readonly number[]): Parameters => listed?.[places[0] ?? 0] ?? atPlaces(parameters, places);
  const fits = (one: Parameters): boolean => constraints.every((formula) => holds(formula, { ...known, ...one }));
  if (options.search === 'random')
    return { configurations: drawn(grid, having, total, fits, options), total, excluded: null };
  if (total > options.maxCandidates) {
    throw invalid(
      `${total} configurations are more than --max-candidates ${options.maxCandidates}`,
      'give fewer values, draw some with --search random --samples N, or raise --max-candidates',
    );
  }
  const all = Array.from({ length: total }, (_, index) => having(placesOf(grid, index)));
  const kept = all.filter(fits);
  if (kept.length === 0)
    throw invalid(`the constraints exclude all ${total} configurations`, 'correct the constraints or the values');
  return { configurations: kept, total, excluded: total - kept.length };
}

function holds(formula: Formula, values: Parameters): boolean {
  const value = formula.evaluate(values);
  if (typeof value === 'boolean') return value;
  throw new KernloopError(
    'FORMULA_INVALID',
    `--constraint: "${formula.text}" gives ${JSON.stringify(value)}`,
    'give a condition: BLOCK * 4 <= 65536',
  );
}

/** Value index of each parameter for the configuration with this number; the last parameter varies fastest. */
function placesOf(parameters: readonly Parameter[], index: number): number[] {
  let rest = index;
  const places: number[] = [];
  for (const { values } of [...parameters].reverse()) {
    places.unshift(rest % values.length);
    rest = Math.floor(rest / values.length);
  }
  return places;
}

/** Configuration with the given value index for each parameter. */
function atPlaces(parameters: readonly Parameter[], places: readonly number[]): Parameters {
  return Object.fromEntries(parameters.map(({ name, values }, index) => [name, values[places[index] ?? 0] ?? '']));
}

/** Draws distinct configurations in an order fixed by the seed; fewer if there are not enough. */
function drawn(
  parameters: readonly Parameter[],
  having: (places: readonly number[]) => Parameters,
  total: number,
  fits: (one: Parameters) => boolean,
  { samples, seed }: Pick<TuneOptions, 'samples' | 'seed'>,
): Parameters[] {
  const random = generator(seed);
  const seen = new Set<string>();
  const found: Parameters[] = [];
  // Bounds the draws in case almost nothing fits the constraints.
  const most = Math.max(100_000, samples * 100);
  for (let draw = 0; draw < most && found.length < samples && seen.size < total; draw++) {
    // Draws per parameter, because a number for the whole space can have more digits than the generator gives.
    const places = parameters.map(({ values }) => Math.floor(random() * values.length));
    const key = places.join();
    if (seen.has(key)) continue;
    seen.add(key);
    const one = having(places);
    if (fits(one)) found.push(one);
  }
  if (found.length > 0) return found;
  throw invalid(
    `none of ${seen.size} configurations that were drawn fulfils the constraints`,
    'correct the constraints or the values',
  );
}

/** mulberry32, which gives the same numbers on every machine. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function invalid(what: string, hint: string): KernloopError {
  return new KernloopError('TUNE_SPACE', what, hint);
}
