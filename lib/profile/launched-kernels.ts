import type { KernelEntry } from '../app/kernloop-json';
import { matchOf, type DeclaredKernel } from '../app/declare-kernel';
import { asName } from '../app/describe-app';
import { parseDemangledName } from '../source/demangled-name';
import { KernloopError, nearest } from '../support/error';
import { escaped, expressionOf } from '../support/patterns';
import { formatCount } from '../support/report';

/** A kernel as a profile names it. */
export interface LaunchedKernel {
  /** Demangled. */
  readonly name: string;
  readonly symbol: string;
  readonly dispatches: number;
}

/** False for kernels that the HIP runtime launches by itself, which copy and fill. */
export const isOfApp = ({ symbol }: Pick<LaunchedKernel, 'symbol'>): boolean => !symbol.startsWith('__amd_rocclr_');

/** Shortest name that means this kernel alone: `reduce`, `ns::scale<float>`, the whole name, the symbol. */
export function nameOf(kernel: LaunchedKernel, kernels: readonly LaunchedKernel[]): string {
  const names = [parseDemangledName(kernel.name).base, plainName(kernel.name), kernel.name];
  return names.find((name) => bySymbol(matching(name, kernels)).length === 1) ?? kernel.symbol;
}

/** The one launched kernel that a user means by a name or a regular expression. */
export function kernelNamed<K extends LaunchedKernel>(text: string, kernels: readonly K[]): K {
  const found = bySymbol(matching(text, kernels));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (only === undefined) {
    const bases = [...new Set(kernels.map(({ name }) => parseDemangledName(name).base))];
    const close = nearest(text, bases);
    throw new KernloopError(
      'NO_MATCH',
      `no launched kernel matches "${text}"`,
      `${close.length > 0 ? `did you mean ${close.join(', ')}? ` : ''}launched:\n${lines(kernels)}`,
    );
  }
  throw new KernloopError(
    'USAGE',
    `"${text}" matches ${found.length} kernels:\n${lines(found)}`,
    `name one of them: ${found
      .slice(0, shown)
      .map((kernel) => `-k '${nameOf(kernel, kernels)}'`)
      .join(', ')}`,
  );
}

/** Expression that matches one launched kernel and no other: by its function's name, else by its whole name or symbol. */
export function matchFor(kernel: LaunchedKernel, kernels: readonly LaunchedKernel[]): string {
  const whole = `^${escaped(kernel.symbol)}$`;
  const matches = [matchOf(parseDemangledName(kernel.name).base), `^${escaped(kernel.name)}$`];
  return matches.find((text) => new RegExp(text).test(kernel.name) && matchedBy(text, kernels).length === 1) ?? whole;
}

/** Entry of kernloop.json that selects one launched kernel. Its name differs from those that are taken. */
export function entryFor(
  kernel: LaunchedKernel,
  kernels: readonly LaunchedKernel[],
  declared: readonly KernelEntry[],
): DeclaredKernel {
  const { base } = parseDemangledName(kernel.name);
  const match = matchFor(kernel, kernels);
  const name = asName(match === matchOf(base) ? base : plainName(kernel.name))
    .replace(/-+$/, '')
    .slice(0, mostLetters);
  const taken = new Set(declared.map((entry) => entry.name));
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name}-${number}`;
  return { name: free, match };
}

/** The declared kernel that selects this launched one and no other. */
export function declarationOf(
  kernel: LaunchedKernel,
  kernels: readonly LaunchedKernel[],
  declared: readonly KernelEntry[],
): KernelEntry | undefined {
  return declared.find(({ match, wholeName }) => {
    const found = wholeName === true ? [] : matchedBy(match, kernels);
    return found.length === 1 && found[0]?.symbol === kernel.symbol;
  });
}

/** Leaves room for a number behind the name. */
const mostLetters = 90;
const shown = 8;

/** Kernels of exactly this name, else those of this function, else those in which the expression is found. */
function matching<K extends LaunchedKernel>(text: string, kernels: readonly K[]): K[] {
  const exact = kernels.filter(({ name, symbol }) => [name, symbol, plainName(name)].includes(text));
  if (exact.length > 0) return exact;
  const named = searched(new RegExp(matchOf(text)), kernels);
  return named.length > 0 ? named : searched(expressionOf(text), kernels);
}

function searched<K extends LaunchedKernel>(pattern: RegExp, kernels: readonly K[]): K[] {
  return kernels.filter(({ name, symbol }) => pattern.test(name) || pattern.test(symbol));
}

/** Kernels that the `match` of a declaration selects, each once. */
export const matchedBy = <K extends LaunchedKernel>(match: string, kernels: readonly K[]): K[] =>
  bySymbol(searched(new RegExp(match), kernels));

/** One of each symbol: a kernel may be in several code objects. */
function bySymbol<K extends LaunchedKernel>(kernels: readonly K[]): K[] {
  return [...new Map(kernels.map((kernel) => [kernel.symbol, kernel])).values()];
}

/** `ns::scale<float>` for `void ns::scale<float>(float*)`. */
function plainName(name: string): string {
  const { scope, base, templateArguments } = parseDemangledName(name);
  const own = templateArguments === null ? base : `${base}<${templateArguments.join(', ')}>`;
  return [...scope.map((part) => part ?? '(anonymous namespace)'), own].join('::');
}

function lines(kernels: readonly LaunchedKernel[]): string {
  const more = kernels.length > shown ? [`  and ${kernels.length - shown} more`] : [];
  const rows = kernels
    .slice(0, shown)
    .map(
      ({ name, dispatches }) => `  ${name} (${formatCount(dispatches)} ${dispatches === 1 ? 'launch' : 'launches'})`,
    );
  return [...rows, ...more].join('\n');
}
