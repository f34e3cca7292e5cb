import type { CaptureJson } from '../capture/capture-files';
import type { Bounds, TypedElements } from '../replay/program';
import type { ToleranceEvent } from '../replay/replay-events';
import { elementTypes, type ElementType, type KernelJson } from '../reproducer/kernel-json';
import { KernloopError, nearest } from '../support/error';
import type { ToleranceOptions } from './options';
import type { IgnoredRange } from './roles';

/** Which elements are judged as what. */
export interface ElementPlan {
  /** Where they may differ; null where every byte must be equal. */
  bounds: Bounds | null;
  elements: TypedElements[];
  /** What the kernel changed and is compared byte by byte all the same, since nothing tells its type. */
  untyped: string[];
}

export type Place = Pick<TypedElements, 'target' | 'offset' | 'size'>;
interface TypedPlace extends Place {
  type: ElementType;
}
interface ArgumentPlace extends TypedPlace {
  /** Every pointer to it is one to const. */
  isInput: boolean;
}

/**
 * With a tolerance, elements of a known type are judged as numbers: regions (or parts) that --dtype names; what floating-point pointer
 * arguments lead to; and, with a --dtype of a type alone, the rest of what the kernel changed. Integers, regions that the captured
 * dispatch left alone, and input (behind pointers to const), which may share an allocation with output, stay exact unless they are
 * named. What is exact and typed is counted as elements, for the report.
 */
export function planElements(
  options: ToleranceOptions,
  config: KernelJson,
  capture: CaptureJson,
  ignored: readonly IgnoredRange[],
): ElementPlan {
  const bounds = boundsOf(options);
  if (bounds === null && options.dtype.length > 0)
    throw new KernloopError('USAGE', '--dtype tells a type, but no tolerance', 'add --ulp, --atol or --rtol');
  const { named, fallback } = readTypes(options.dtype, config, capture);
  const isIgnored = ({ id }: Region): boolean => ignored.some(({ region }) => region === id);
  const judged: TypedPlace[] = [...named];
  const exact: TypedPlace[] = [];
  const untyped: string[] = [];
  for (const region of changedRegions(capture).filter((changed) => !isIgnored(changed))) {
    const isNamed = named.some(({ target }) => target === region.id);
    const typed = typesOfArguments(region, config, capture).filter(
      (place) => !named.some((other) => overlap(place, other)),
    );
    const floats = typed.filter(({ type, isInput }) => isFloat(type) && !isInput);
    if (floats.length === 0 && fallback && !isNamed) {
      judged.push({ target: region.id, offset: 0, size: region.size, type: fallback });
      continue;
    }
    judged.push(...floats);
    exact.push(...typed.filter((place) => !floats.includes(place)));
    if (typed.length === 0 && !isNamed) untyped.push(region.id);
  }
  // Where nothing changed, that is what there is to say.
  if (bounds !== null && judged.length === 0 && changesAnything(capture))
    throw noType([...exact.map(({ target }) => target), ...untyped]);
  const elements = [...judged.map((place) => judgedBy(bounds, place)), ...exact.map((place) => judgedBy(null, place))];
  return { bounds, elements, untyped };
}

function overlap(a: Place, b: Place): boolean {
  return a.target === b.target && a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

function judgedBy(bounds: Bounds | null, { target, offset, size, type }: TypedPlace): TypedElements {
  return { target, offset, size, type, bounds };
}

/** Null where nothing was asked for: then every byte must be equal. */
function boundsOf({ atol, rtol, ulp, matchedRatio, nan, inf }: ToleranceOptions): Bounds | null {
  if ([atol, rtol, ulp, matchedRatio, nan, inf].every((bound) => bound === undefined)) return null;
  return {
    atol: atol ?? 0,
    rtol: rtol ?? 0,
    ulp: ulp ?? 0,
    matched: matchedRatio ?? 1,
    nan: nan ?? 'match',
    inf: inf ?? 'match',
  };
}

function noType(untyped: readonly string[]): KernloopError {
  const [first = 'r0'] = untyped;
  return new KernloopError(
    'USAGE',
    `a tolerance was given, but nothing tells the element type of what the kernel changed (${untyped.join(', ') || 'no region'})`,
    `name it: --dtype ${first}=f32, or --dtype f32 for all of them`,
  );
}

interface Region {
  id: string;
  base: bigint;
  size: number;
}

type Content = CaptureJson['regions'][number]['pre'];

const isChanged = ({ pre, post }: { pre: Content; post: Content }): boolean =>
  JSON.stringify(pre.chunks) !== JSON.stringify(post.chunks);

function changesAnything({ regions, module_variables: variables }: CaptureJson): boolean {
  return regions.some(isChanged) || variables.some(isChanged);
}

function changedRegions({ regions }: CaptureJson): Region[] {
  return regions.filter(isChanged).map(({ id, base, size }) => ({ id, base: BigInt(base), size }));
}

/**
 * One allocation may hold several arrays: each pointer argument tells the type from where it points up to the next pointer. Where
 * pointers to one place disagree, and before the first, bytes stay bytes.
 */
function typesOfArguments(region: Region, { args }: KernelJson, { kernarg }: CaptureJson): ArgumentPlace[] {
  const typesAt = new Map<number, Set<ElementType | null>>();
  const written = new Set<number>();
  for (const { offset, at } of pointersInto(region, kernarg)) {
    const arg = args.find((each) => each.offset === offset);
    typesAt.set(at, (typesAt.get(at) ?? new Set()).add(arg?.element ?? null));
    if (arg?.role !== 'in') written.add(at);
  }
  const starts = [...typesAt.keys()].sort((a, b) => a - b);
  return starts.flatMap((offset, index) => {
    const [type = null, ...others] = typesAt.get(offset) ?? [];
    if (type === null || others.length > 0 || offset % bytesOf(type) !== 0) return [];
    const size = (starts[index + 1] ?? region.size) - offset;
    return [{ target: region.id, offset, size, type, isInput: !written.has(offset) }];
  });
}

/** The kernel arguments that point into a region, and to which byte of it. */
function pointersInto({ id, base, size }: Region, { slots }: CaptureJson['kernarg']): { offset: number; at: number }[] {
  return slots
    .filter(({ region }) => region === id)
    .map(({ offset, value }) => ({
      offset,
      at: /^0x[0-9a-f]{1,16}$/i.test(value ?? '') ? Number(BigInt(value ?? 0) - base) : 0,
    }))
    .filter(({ at }) => at >= 0 && at < size);
}

const isFloat = (type: ElementType): boolean => type.includes('f');
/** "f8e4m3" and "u8" have one byte, as has a bool. */
const bytesOf = (type: ElementType): number => (type === 'bool' ? 1 : Number(/\d+/.exec(type)?.[0] ?? 8) / 8);

/** `f32`; `r3=f32`, `out=f32` (a parameter), `r3:OFFSET:SIZE=f32`, or a module variable. */
function readTypes(
  texts: readonly string[],
  config: KernelJson,
  capture: CaptureJson,
): { named: TypedPlace[]; fallback: ElementType | undefined } {
  const named: TypedPlace[] = [];
  let fallback: ElementType | undefined;
  for (const text of texts) {
    const [, place, type = ''] = /^(?:(.+)=)?([^=]*)$/.exec(text) ?? [];
    if (!isElementType(type)) {
      throw new KernloopError('USAGE', `--dtype ${text}: there is no type "${type}"`, `use ${elementTypes.join(', ')}`);
    }
    if (place !== undefined) named.push(readTyped(text, place, type, named, config, capture));
    else if (fallback === undefined) fallback = type;
    else
      throw new KernloopError(
        'USAGE',
        `--dtype ${fallback} and --dtype ${type} are both for the rest`,
        'say what each is for: --dtype r3=f32',
      );
  }
  return { named, fallback };
}

function readTyped(
  text: string,
  place: string,
  type: ElementType,
  others: readonly TypedPlace[],
  config: KernelJson,
  capture: CaptureJson,
): TypedPlace {
  const typed = { ...readPlace(place, config, capture), type };
  const elementBytes = bytesOf(type);
  if (typed.size < elementBytes || typed.offset % elementBytes !== 0) {
    throw new KernloopError(
      'USAGE',
      `--dtype ${text}: ${typed.size} bytes at offset ${typed.offset} of ${typed.target} hold no ${type}`,
      `give an offset that is a multiple of ${elementBytes}, and at least as many bytes`,
    );
  }
  if (others.some((other) => overlap(typed, other))) {
    throw new KernloopError('USAGE', `--dtype ${text}: part of it has a type already`, 'give each place one type');
  }
  return typed;
}

function isElementType(text: string): text is ElementType {
  return (elementTypes as readonly string[]).includes(text);
}

function readPlace(text: string, config: KernelJson, capture: CaptureJson): Place {
  const part = /^(.*):(\d+):(\d+)$/.exec(text);
  const target = targetOf('--dtype', part?.[1] ?? text, config, capture);
  if (!part) return target;
  const [offset, size] = [Number(part[2]), Number(part[3])];
  if (offset + size > target.size) {
    throw new KernloopError('USAGE', `--dtype ${text} ends beyond its ${target.size} bytes`, 'give OFFSET:SIZE inside');
  }
  return { target: target.target, offset: target.offset + offset, size };
}

/** `option` is for the message where there is none of that name. */
export function targetOf(option: string, name: string, config: KernelJson, capture: CaptureJson): Place {
  const region = capture.regions.find(({ id }) => id === name);
  if (region) return { target: region.id, offset: 0, size: region.size };
  const array = arrayOfParameter(name, config, capture);
  if (array) return array;
  const variable = capture.module_variables.find((candidate) => candidate.name === name);
  if (variable) return { target: variable.name, offset: 0, size: variable.size };
  const parameters = config.args.flatMap(({ name: own }) =>
    own !== null && arrayOfParameter(own, config, capture) ? own : [],
  );
  const known = [
    ...parameters,
    ...capture.regions.map(({ id }) => id),
    ...capture.module_variables.map((candidate) => candidate.name),
  ];
  const [close] = nearest(name, known, 1);
  throw new KernloopError(
    'USAGE',
    `${option} ${name}: the capture has no such region, pointer parameter or module variable`,
    `${close ? `did you mean ${close}? ` : ''}known: ${known.slice(0, 12).join(', ')}`,
  );
}

/** From where the pointer points up to where the next one does. */
export function arrayOfParameter(
  name: string,
  { args }: KernelJson,
  { kernarg, regions }: CaptureJson,
): Place | undefined {
  const parameter = args.find((arg) => arg.name === name)?.offset;
  const id = kernarg.slots.find((slot) => slot.offset === parameter)?.region;
  const found = regions.find((region) => region.id === id);
  if (!found) return undefined;
  const pointers = pointersInto({ ...found, base: BigInt(found.base) }, kernarg);
  const offset = pointers.find((pointer) => pointer.offset === parameter)?.at ?? 0;
  const next = Math.min(found.size, ...pointers.map(({ at }) => at).filter((at) => at > offset));
  return { target: found.id, offset, size: next - offset };
}

/** What the same elements met over all replays: the worst of each. */
export function worstOf(events: readonly ToleranceEvent[]): ToleranceEvent[] {
  const worst = new Map<string, ToleranceEvent>();
  for (const met of events) {
    const key = `${met.region ?? met.variable}:${met.offset}`;
    const before = worst.get(key);
    worst.set(key, before ? merge(before, met) : met);
  }
  return [...worst.values()];
}

function merge(a: ToleranceEvent, b: ToleranceEvent): ToleranceEvent {
  const max = (x: number | null | undefined, y: number | null | undefined): number | null =>
    typeof x === 'number' && typeof y === 'number' ? Math.max(x, y) : null;
  const shown = b.outside > a.outside ? b : a;
  const special = (name: 'nan' | 'inf'): Pick<ToleranceEvent, typeof name> => {
    const [x, y] = [a[name], b[name]];
    if (!x || !y) return {};
    const counts = { expected_only: 0, actual_only: 0, both: 0, other: 0 };
    for (const key of Object.keys(counts) as (keyof typeof counts)[]) counts[key] = Math.max(x[key], y[key]);
    return { [name]: counts };
  };
  return {
    ...shown,
    equal: Math.min(a.equal, b.equal),
    within: Math.max(a.within, b.within),
    outside: Math.max(a.outside, b.outside),
    excused: Math.max(a.excused, b.excused),
    refused: Math.max(a.refused, b.refused),
    not_finite: Math.max(a.not_finite, b.not_finite),
    ...special('nan'),
    ...special('inf'),
    max_abs_error: max(a.max_abs_error, b.max_abs_error),
    max_rel_error: max(a.max_rel_error, b.max_rel_error),
    max_ulp_error: max(a.max_ulp_error, b.max_ulp_error),
  };
}
