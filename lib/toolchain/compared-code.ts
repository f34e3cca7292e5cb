import type { Described } from './described-code';

/** Facts of a code object; null if the bytes are none. */
type Facts = Described | null;

/**
 * Whether two of AMD's code objects, which may contain other kernels, have the same instructions for a kernel. If its
 * code reads its own address, it may call functions or read data elsewhere in the code object, so the answer is false.
 */
export function isSameKernelCode(symbol: string, one: Facts, other: Facts): boolean {
  const digest = kernelCodeDigest(symbol, one);
  return digest !== null && digest === kernelCodeDigest(symbol, other);
}

/**
 * Digest of what `isSameKernelCode` compares, for code objects that are not there at the same time. Null where it would
 * be false.
 */
export const kernelCodeDigest = (symbol: string, code: Facts): string | null =>
  code?.kernels.find((kernel) => kernel.symbol === symbol)?.code_sha256 ?? null;

/**
 * Whether two AMD code objects are equal in everything that is loaded or describes the launch: instructions,
 * descriptors, constants, metadata. File names and line tables may differ.
 */
export const isSameWhenLoaded = (one: Facts, other: Facts): boolean =>
  isKnownAndSame(one?.amd?.loaded_sha256, other?.amd?.loaded_sha256);

/** Whether two AMD code objects have the same instructions, whatever their data; null if one is no AMD code object. */
export const isSameText = (one: Facts, other: Facts): boolean | null =>
  one?.amd && other?.amd ? one.amd.text_sha256 === other.amd.text_sha256 : null;

/** Whether two AMD code objects differ only in the name of their unit, apart from sections that are not loaded. */
export const isSameButUnitName = (one: Facts, other: Facts): boolean =>
  isKnownAndSame(one?.amd?.without_unit_name_sha256, other?.amd?.without_unit_name_sha256);

/**
 * Whether two cubins have the same instructions for a kernel; names and debug information may differ. Functions that it
 * may call are compared, too, if both have them: a whole program linked with -rdc includes those of other units.
 */
export function isSameMachineCode(symbol: string, one: Facts, other: Facts): boolean {
  const [ours, theirs] = [functionsOf(one), functionsOf(other)];
  if (!isKnownAndSame(ours.get(symbol), theirs.get(symbol))) return false;
  const kernels = new Set(one?.kernels.map((kernel) => kernel.symbol));
  return [...ours].every(([name, digest]) => kernels.has(name) || (theirs.get(name) ?? digest) === digest);
}

const functionsOf = (code: Facts): ReadonlyMap<string, string> =>
  new Map(code?.functions?.map((one) => [one.name, one.code_sha256]));

const isKnownAndSame = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && one === other;
