import { placeOf } from '../reproducer/named-arrays';
import type { CaptureJson } from '../archive/capture-files';
import type { Bounds, TypedElements } from '../replay/program';
import { elementTypes, type ElementType, type KernelJson } from '../reproducer/kernel-json';
import { KernloopError } from '../support/error';
import { kernelFile } from '../support/project-file-names';
import type { ToleranceOptions } from './options';
import type { IgnoredRange } from '../reproducer/roles';
import {
  bytesOf,
  claimsOn,
  contradiction,
  contradicts,
  isFloat,
  misnamedElements,
  nameParameters,
  overlap,
  type Place,
  type Region,
  withCapturedTypes,
} from '../reproducer/signature';

/** Plan of which elements are judged as which type. */
export interface ElementPlan {
  /** Allowed differences; null if every byte must be equal. */
  bounds: Bounds | null;
  elements: TypedElements[];
  /** Number of elements' ranges that a tolerance holds for, or would hold for if one were given. */
  tolerable: number;
  /** Changed regions that are compared byte by byte despite a tolerance, because their type is unknown. */
  untyped: string[];
  /** Elements that the user forces to another type than the signature's, in words. */
  forced: string[];
}

interface TypedPlace extends Place {
  type: ElementType;
}
interface ArgumentPlace extends TypedPlace {
  /** Whether every pointer to it is a pointer to const. */
  isInput: boolean;
}

/**
 * With a tolerance, elements of known types are judged as numbers: regions (or parts) that --dtype names; targets of
 * floating-point pointer arguments; and, with a --dtype of only a type, the rest of what the kernel changed, unless an
 * argument gives another type. Integers, regions that the captured dispatch left alone, and input (behind pointers to
 * const), which may share an allocation with output, stay exact unless they are named. Exact elements of known types
 * are counted for the report.
 */
export function planElements(
  options: ToleranceOptions,
  kernelJson: KernelJson,
  capture: CaptureJson,
  ignored: readonly IgnoredRange[],
): ElementPlan {
  const config = withCapturedTypes(kernelJson, capture);
  const bounds = boundsOf(options);
  if (bounds === null && options.dtype.length > 0)
    throw new KernloopError('USAGE', '--dtype tells a type, but no tolerance', 'add --ulp, --atol or --rtol');
  const { dtype, forceDtype } = options;
  const forced = bounds === null ? [] : forcedElements(config, forceDtype);
  const { named, fallback } = readTypes(dtype, forceDtype, config, capture, forced);
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
    const isRest = fallback !== undefined && floats.length === 0 && !isNamed;
    const rest = isRest ? restOf(region, fallback, forceDtype, config, capture, forced) : [];
    judged.push(...floats, ...rest);
    exact.push(...typed.filter((place) => !floats.includes(place) && !rest.some((other) => overlap(place, other))));
    if (typed.length === 0 && rest.length === 0 && !isNamed) untyped.push(region.id);
  }
  // If nothing changed, the vacuous verdict is reported instead of this error.
  if (bounds !== null && judged.length === 0 && changesAnything(capture))
    throw fallback === undefined && exact.length > 0 && untyped.length === 0
      ? onlyExact(exact)
      : noType([...exact.map(({ target }) => target), ...untyped], fallback);
  const elements = [...judged.map((place) => judgedBy(bounds, place)), ...exact.map((place) => judgedBy(null, place))];
  return { bounds, elements, tolerable: judged.length, untyped, forced };
}

/** Parts of a region that no pointer parameter gives another type: all of it, or the gaps. */
function restOf(
  region: Region,
  type: ElementType,
  forceDtype: boolean,
  config: KernelJson,
  capture: CaptureJson,
  forced: string[],
): TypedPlace[] {
  const whole = { target: region.id, offset: 0, size: region.size, type };
  const others = claimsOn(region, config, capture).filter((claim) => contradiction(type, claim) !== undefined);
  if (forceDtype) {
    forced.push(...others.map(({ parameters }) => forcedWords(whole, nameParameters(parameters))));
    return [whole];
  }
  const bytes = bytesOf(type);
  const ends = [...others.map(({ offset }) => offset), region.size];
  return ends.flatMap((end, index) => {
    const before = others[index - 1];
    const start = Math.ceil((before ? before.offset + before.size : 0) / bytes) * bytes;
    return end - start >= bytes ? [{ ...whole, offset: start, size: end - start }] : [];
  });
}

/** Elements that kernel.json's `element` forces; refused like a --dtype unless --force-dtype is set. */
function forcedElements(config: KernelJson, forceDtype: boolean): string[] {
  return misnamedElements(config).map((arg) => {
    const { element: type, name, index } = arg;
    const target = name ?? `argument ${index}`;
    const told = nameParameters([arg]);
    if (!forceDtype) throw refuseType(`${kernelFile}: element ${type} of ${target}`, type, told);
    return forcedWords({ target, type }, told);
  });
}

const forcedWords = ({ target, type }: Pick<TypedPlace, 'target' | 'type'>, parameters: string): string =>
  `${target} judged as ${type} against the signature, which says ${parameters}`;

function judgedBy(bounds: Bounds | null, { target, offset, size, type }: TypedPlace): TypedElements {
  return { target, offset, size, type, bounds };
}

/** Null if no tolerance was given: every byte must then be equal. */
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

function onlyExact(exact: readonly TypedPlace[]): KernloopError {
  const types = exact.map(({ target, type }) => `${target}: ${type}`);
  return new KernloopError(
    'USAGE',
    `a tolerance was given, and all that the kernel changed stays exact (${types.join(', ')})`,
    'leave it out: integers are equal or wrong, and memory behind pointers to const is input; --dtype NAME=TYPE judges one by a tolerance all the same',
  );
}

function noType(untyped: readonly string[], fallback: ElementType | undefined): KernloopError {
  const [first = 'r0'] = untyped;
  if (fallback !== undefined) {
    return new KernloopError(
      'USAGE',
      `--dtype ${fallback} is for what no argument gives another type, which is nothing of what the kernel changed (${untyped.join(', ')})`,
      `give the type that the signature says (--dtype ${first}=...); --force-dtype insists on ${fallback}`,
    );
  }
  return new KernloopError(
    'USAGE',
    `a tolerance was given, but nothing tells the element type of what the kernel changed (${untyped.join(', ') || 'no region'})`,
    `name it: --dtype ${first}=f32, or --dtype f32 for all of them`,
  );
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
 * Types of the arrays in an allocation: each pointer argument gives the type up to the next pointer. If pointers to a
 * place disagree, and before the first pointer, the type is unknown.
 */
function typesOfArguments(region: Region, config: KernelJson, capture: CaptureJson): ArgumentPlace[] {
  return claimsOn(region, config, capture).flatMap(({ target, offset, size, parameters, isOpen }) => {
    const [type = null, ...others] = new Set(parameters.map(({ element }) => element));
    if (isOpen || type === null || others.length > 0 || offset % bytesOf(type) !== 0) return [];
    return [{ target, offset, size, type, isInput: parameters.every(({ role }) => role === 'in') }];
  });
}

/** Reads `f32`; `r3=f32`, `out=f32` (a parameter), `r3:OFFSET:SIZE=f32`, or a module variable. */
function readTypes(
  texts: readonly string[],
  forceDtype: boolean,
  config: KernelJson,
  capture: CaptureJson,
  forced: string[],
): { named: TypedPlace[]; fallback: ElementType | undefined } {
  const named: TypedPlace[] = [];
  let fallback: ElementType | undefined;
  for (const text of texts) {
    const [, place, type = ''] = /^(?:(.+)=)?([^=]*)$/.exec(text) ?? [];
    if (!isElementType(type)) {
      throw new KernloopError('USAGE', `--dtype ${text}: there is no type "${type}"`, `use ${elementTypes.join(', ')}`);
    }
    if (place !== undefined) {
      const typed = readTyped(text, place, type, named, config, capture);
      const told = toldOtherwise(place, typed, config, capture);
      if (told !== undefined && !forceDtype) throw refuseType(`--dtype ${text}`, type, told);
      if (told !== undefined) forced.push(forcedWords(typed, told));
      named.push(typed);
    } else if (fallback === undefined) fallback = type;
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
  const typed = { ...placeOf('--dtype', place, config, capture), type };
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

/** Type of the place in the signature, if it differs. */
function toldOtherwise(name: string, place: TypedPlace, config: KernelJson, capture: CaptureJson): string | undefined {
  const isOf = (parameter: string | null): boolean =>
    parameter !== null && (name === parameter || name.startsWith(`${parameter}:`));
  const own = config.args.find((arg) => isOf(arg.name) && contradicts(place.type, arg));
  if (own) return nameParameters([own]);
  const region = capture.regions.find(({ id }) => id === place.target);
  if (!region) return undefined;
  const claims = claimsOn({ ...region, base: BigInt(region.base) }, config, capture);
  const others = claims.flatMap((claim) => (overlap(claim, place) ? (contradiction(place.type, claim) ?? []) : []));
  return others.length > 0 ? nameParameters(others) : undefined;
}

function refuseType(text: string, type: ElementType, told: string): KernloopError {
  return new KernloopError(
    'USAGE',
    `${text}: the signature says ${told}: judged as ${type}, wrong elements could pass`,
    `give the type that the signature says, or none; --force-dtype insists on ${type}, and the verdict says so`,
  );
}

function isElementType(text: string): text is ElementType {
  return (elementTypes as readonly string[]).includes(text);
}
