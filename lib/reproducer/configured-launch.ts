import type { CaptureJson } from '../archive/capture-files';
import { KernloopError } from '../support/error';
import { parseFormula, type Value } from '../support/expression';
import type { Configuration } from './configuration';
import { scalarOf } from './kernel-args';
import { tritonElements } from './triton-args';

interface Argument {
  index: number;
  name: string | null;
  type: string;
  offset: number;
  size: number;
}

/** A launch that differs from the captured one; omitted fields are as captured. Extents are X,Y,Z. */
export interface ConfiguredLaunch {
  grid?: string;
  block?: string;
  dynamicShared?: number;
  /** Arguments as INDEX:TYPE=VALUE */
  args?: string[];
}

export function configuredLaunch(
  { parameters, grid, block, dynamic_shared: shared, arguments: passed = {} }: Configuration,
  capture: CaptureJson,
  args: readonly Argument[],
): ConfiguredLaunch {
  const { geometry } = capture;
  const values = { ...capturedValues(capture, args), ...parameters };
  const blocks = block === undefined ? geometry.block_threads : extents(block, 'block', values);
  const gridOf = (): readonly number[] =>
    // A partial last block of the app counts as a whole block.
    blocks.map((threads, axis) =>
      Math.ceil(((geometry.grid_blocks[axis] ?? 1) * (geometry.block_threads[axis] ?? 1)) / threads),
    );
  const grids =
    grid !== undefined ? extents(grid, 'grid', values) : block === undefined ? geometry.grid_blocks : gridOf();
  const given = Object.entries(passed).map(([name, text]) => argumentText(name, text, values, args));
  const bytes =
    shared === undefined
      ? undefined
      : whole(parseFormula(shared, 'dynamic_shared').evaluate(values), shared, 'dynamic_shared', 0);
  return {
    ...(isSame(grids, geometry.grid_blocks) ? {} : { grid: grids.join() }),
    ...(isSame(blocks, geometry.block_threads) ? {} : { block: blocks.join() }),
    ...(bytes === undefined ? {} : { dynamicShared: bytes }),
    ...(given.length === 0 ? {} : { args: given }),
  };
}

const isSame = (mine: readonly number[], captured: readonly number[]): boolean => mine.join() === captured.join();

/** Names in formulas besides the parameters: scalar arguments as passed by the app, and the geometry of its launch. */
export function capturedValues({ kernarg, geometry }: CaptureJson, args: readonly Argument[]): Record<string, Value> {
  const scalars = args.flatMap((arg): [string, Value][] => {
    const value =
      arg.name === null ? null : scalarValue(kernarg.slots.find(({ offset }) => offset === arg.offset)?.value, arg);
    return value === null ? [] : [[String(arg.name), value]];
  });
  const axes = ['x', 'y', 'z'].flatMap((axis, index): [string, Value][] => [
    [`grid_${axis}`, geometry.grid_blocks[index] ?? 1],
    [`block_${axis}`, geometry.block_threads[index] ?? 1],
  ]);
  return Object.fromEntries([...axes, ...scalars]);
}

/** Scalar type of a numeric argument; null for pointers, structures and types without a scalar type. */
export function scalarType({ type }: Pick<Argument, 'type'>): string | null {
  const name = tritonElements[type] ?? scalarOf(type);
  return name === 'ptr' ? null : name === 'bool' ? 'u8' : name;
}

function scalarValue(hex: string | null | undefined, arg: Argument): number | null {
  const type = scalarType(arg);
  const bits = Number(/\d+/.exec(type ?? '')?.[0]);
  if (type === null || bits !== arg.size * 8 || !/^0x[0-9a-f]{1,16}$/i.test(hex ?? '')) return null;
  const raw = BigInt(hex ?? 0);
  if (type.startsWith('i')) return Number(BigInt.asIntN(bits, raw));
  if (type.startsWith('u')) return Number(BigInt.asUintN(bits, raw));
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, raw, true);
  return type === 'f32' ? view.getFloat32(0, true) : type === 'f64' ? view.getFloat64(0, true) : null;
}

/** One to three formulas, separated by commas outside of parentheses. */
function extents(text: string, what: string, values: Readonly<Record<string, Value>>): number[] {
  const parts = splitOutside(text, ',').map((part) =>
    whole(parseFormula(part, what).evaluate(values), part.trim(), what, 1),
  );
  if (parts.length > 3) throw invalid(what, text, 'it has more than three dimensions');
  return [...parts, 1, 1].slice(0, 3);
}

export function splitOutside(text: string, separator: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const letter of text) {
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (letter === separator && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts;
}

function whole(value: Value, text: string, what: string, least: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= 0xffff_ffff) return value;
  throw invalid(what, text, `it gives ${JSON.stringify(value)}, and a whole number from ${least} on is wanted`);
}

function argumentText(
  name: string,
  text: string,
  values: Readonly<Record<string, Value>>,
  args: readonly Argument[],
): string {
  const found = args.find((arg) => arg.name === name) ?? args.find(({ index }) => String(index) === name);
  if (!found) {
    const known = args.map((arg) => (arg.name === null ? arg.index : `${arg.index} (${arg.name})`)).join(', ');
    throw new KernloopError(
      'ARGUMENT_UNKNOWN',
      `the kernel has no argument "${name}"`,
      `it has ${known || 'none that is known'}`,
    );
  }
  const type = scalarType(found);
  if (type === null) throw invalid(`argument ${name}`, text, `${found.type} is no type of a number`);
  const value = parseFormula(text, `argument ${name}`).evaluate(values);
  if (typeof value !== 'number')
    throw invalid(`argument ${name}`, text, `it gives ${JSON.stringify(value)}, which is no number`);
  return `${found.index}:${type}=${value}`;
}

function invalid(what: string, text: string, why: string): KernloopError {
  return new KernloopError(
    'FORMULA_INVALID',
    `${what}: "${text}": ${why}`,
    'correct it; docs/tune.md says what may stand in a formula',
  );
}
