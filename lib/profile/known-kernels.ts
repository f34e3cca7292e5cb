import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import type { App } from '../app/app';
import { findProgram } from '../app/program';
import { parseDemangledName } from '../source/demangled-name';
import { KernloopError, nearest, systemCode } from '../support/error';
import type { Environment } from '../support/environment';
import { commandText } from '../support/command-text';
import { readJson } from '../support/schema';
import { carriedKernels } from '../toolchain/carried-code';
import { neededLibraries } from '../toolchain/needed-libraries';
import { isOfApp } from './launched-kernels';
import { profileSchema } from './profile-json';

/** Functions that an app may launch, as far as is known without a run. */
export interface KnownKernels {
  /** Names without scope and arguments, each once, sorted. */
  readonly names: readonly string[];
  /** `the last profile saw`, `demo has code of`. */
  readonly source: string;
}

/** Kernels that the last profile saw, else those in the code of the program; null if neither can be read. */
export function knownKernels(app: App, env: Environment): KnownKernels | null {
  const launched = launchedIn(app);
  if (launched !== null) return { names: launched, source: 'the last profile saw' };
  const carried = carriedBy(app, env);
  if (carried === null) return null;
  return { names: sorted(carried.symbols.map(functionIn)), source: `${carried.program} has code of` };
}

/**
 * Adds to the error of a name that is not declared the kernels that the app has besides, nearest first, and the
 * commands that take one of them.
 */
export function withKnownKernels<T>(app: App, env: Environment, look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof KernloopError) || error.code !== 'KERNEL_UNKNOWN') throw error;
    const asked = /no kernel "([^"]*)"/.exec(error.what)?.[1] ?? '';
    const hint = hintFor(parseDemangledName(asked).base, app, env, error.hint.startsWith('did you mean'));
    if (hint === null) throw error;
    throw new KernloopError(error.code, error.what, `${hint}; ${error.hint}`, { cause: error });
  }
}

function hintFor(asked: string, app: App, env: Environment, isDeclaredNear: boolean): string | null {
  const known = knownKernels(app, env);
  const declared = new Set(app.config.kernels.map(({ name }) => name));
  const others = known?.names.filter((name) => !declared.has(name)) ?? [];
  if (known === null || others.length === 0) return null;
  const folder = app.root === process.cwd() ? [] : ['--app', relative(process.cwd(), app.root)];
  const commands = (name: string): string =>
    ['declare', 'extract'].map((verb) => `\`${commandText(['kernloop', verb, ...folder, name])}\``).join(', then ');
  const close = asked === '' ? [] : nearest(asked, others);
  const [best] = close;
  if (best === undefined && isDeclaredNear) return null;
  if (best === undefined) {
    const [first = ''] = others;
    return `${known.source} ${listed(others)}, which ${others.length === 1 ? 'is' : 'are'} not declared: ${commands(first)}`;
  }
  const isIt = best === asked;
  return `${isIt ? '' : `did you mean ${close.join(', ')}? `}${known.source} ${best}, which is not declared: ${commands(best)}`;
}

const mostShown = 5;

export function listed(names: readonly string[]): string {
  const more = names.length > mostShown ? ` and ${names.length - mostShown} more` : '';
  return `${names.slice(0, mostShown).join(', ')}${more}`;
}

function launchedIn(app: App): string[] | null {
  if (!existsSync(app.profile)) return null;
  try {
    const { kernels } = readJson(app.profile, profileSchema, 'FILE_UNREADABLE', 'profile the app again');
    return sorted(kernels.filter(isOfApp).map(({ name }) => parseDemangledName(name).base));
  } catch (error) {
    if (error instanceof KernloopError) return null;
    throw error;
  }
}

const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort();

/** Kernels in the program of the app and in its libraries; null if there are none, or not all can be read. */
export function carriedBy(app: App, env: Environment): { program: string; symbols: string[] } | null {
  try {
    const program = findProgram(app, env);
    const kernels = [program, ...neededLibraries(program, /./, env)].map(carriedKernels);
    const symbols = kernels.flatMap((each) => each ?? []);
    return symbols.length === 0 || kernels.includes(null) ? null : { program: relative(app.root, program), symbols };
  } catch (error) {
    // The program is not built yet, or may not be read.
    if (error instanceof KernloopError || systemCode(error) !== undefined) return null;
    throw error;
  }
}

/** The function that a mangled name is of (Itanium C++ ABI, 5.1.2): `scale` of `_ZN2ns5scaleIfEEvPT_`. */
export function functionIn(symbol: string): string {
  let rest = /^_ZN?[LKV]*(\d.*)$/.exec(symbol)?.[1] ?? '';
  let name = symbol;
  for (let digits = /^\d+/.exec(rest)?.[0]; digits !== undefined; digits = /^\d+/.exec(rest)?.[0]) {
    const end = digits.length + Number(digits);
    name = rest.slice(digits.length, end);
    rest = rest.slice(end);
  }
  return name;
}
