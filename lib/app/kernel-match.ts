import type { KernelEntry } from './kernloop-json';

/** Names of a kernel: demangled, and mangled where that is known. */
export interface KernelNames {
  readonly name: string;
  readonly symbol?: string | undefined;
}

/** Whether a selection takes the kernel, as the recorder decides it (native/recorder/config.cpp). */
export function isMatched(
  { match, wholeName }: Pick<KernelEntry, 'match' | 'wholeName'>,
  { name, symbol }: KernelNames,
): boolean {
  const whole = wholeName === true;
  const pattern = new RegExp(whole ? `^(?:${match})$` : match);
  return [name, symbol ?? name, ...(whole ? [plainName(name)] : [])].some((each) => pattern.test(each));
}

/** `ns::scale` for `void ns::scale<float>(float*)`. */
export const plainName = (name: string): string => name.replace(/^void /, '').replace(/[(<].*$/s, '');
