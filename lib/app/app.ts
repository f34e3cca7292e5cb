import { existsSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { kernloopFile } from '../support/project-file-names';
import { findUpward, findWorkspaceRoot } from '../support/workspace-root';
import { KernloopError, nearest } from '../support/error';
import { resolveInside } from '../support/files';
import { openedOnce } from '../support/opened-once';
import { readJson } from '../support/schema';
import { expressionOf } from '../support/patterns';
import type { Reporter } from '../support/report';
import { appsIn } from './apps-in';
import { isMatched } from './kernel-match';
import { kernloopJsonSchema, type KernelEntry, type KernloopJson } from './kernloop-json';

/** Digests of the files that the command runs, below the app's folder. Nx reads it (executors/program). */
export const programFile = '.kernloop/program.json';
/** The compile database without paths of this machine: an input of generate under Nx. */
export const databaseFile = '.kernloop/compile-commands.json';

/** The user's program, as its kernloop.json declares it. */
export interface App {
  readonly root: string;
  readonly workspaceRoot: string;
  readonly config: KernloopJson;
  readonly cwd: string;
  /** The file that the app reads from stdin, if kernloop.json names one. */
  readonly stdin: string | undefined;
  /** Throws KERNEL_UNKNOWN with the nearest names if kernloop.json does not declare the kernel. */
  kernel(name: string): KernelEntry;
  /** Folder of a kernel's reproducer. */
  reproducer(kernel: string): string;
  /** Folder of a kernel's capture. */
  capture(kernel: string): string;
  readonly profile: string;
  /** Chunks of captures too large for their own pack. */
  readonly store: string;
}

/** Opens the app in `folder`, or in the nearest folder upward. */
export const openApp = openedOnce((folder, files): App => {
  if (statSync(resolve(folder), { throwIfNoEntry: false })?.isFile() === true) {
    throw new KernloopError(
      'USAGE',
      `${resolve(folder)} is a file, not the folder of an app`,
      `put -- before a program and its arguments: \`-- ${folder.includes('/') ? folder : `./${folder}`}\``,
    );
  }
  if (!existsSync(resolve(folder))) {
    throw new KernloopError(
      'CONFIG_MISSING',
      `${resolve(folder)} does not exist`,
      `name the folder of an app, or any folder below it${appsBelow('.')}`,
    );
  }
  const root = findUpward(resolve(folder), kernloopFile);
  if (root === undefined) {
    throw new KernloopError(
      'CONFIG_MISSING',
      `no ${kernloopFile} in ${resolve(folder)} or above`,
      `go to the folder of the app, name it with --app, or write ${kernloopFile} with \`kernloop init\`${appsBelow(folder)}; for a program without one: \`kernloop extract -- ./demo args\``,
    );
  }
  const path = join(root, kernloopFile);
  const config = readJson(path, kernloopJsonSchema, 'CONFIG_MISSING', `write ${kernloopFile}`, files);
  return appFrom(root, config);
});

/** Reads the kernloop.json of an app that a reproducer names. */
export const readKernloopJson = openedOnce((path, files): KernloopJson =>
  readJson(path, kernloopJsonSchema, 'CONFIG_MISSING', 'restore the file', files),
);

/** An app with this configuration in a folder. */
export function appFrom(root: string, config: KernloopJson): App {
  const workspaceRoot = findWorkspaceRoot(root);
  const reproducer = (kernel: string): string => join(workspaceRoot, 'kernels', config.name, kernel);
  return {
    root,
    workspaceRoot,
    config,
    cwd: resolveInside(root, config.cwd, `${kernloopFile}: cwd`),
    stdin: config.stdin === undefined ? undefined : resolveInside(root, config.stdin, `${kernloopFile}: stdin`),
    kernel: (name) => findKernel(config, name),
    reproducer,
    capture: (kernel) => join(reproducer(kernel), 'capture'),
    profile: join(root, '.kernloop', 'profile.json'),
    store: join(workspaceRoot, '.kernloop', 'store'),
  };
}

function findKernel(config: KernloopJson, name: string): KernelEntry {
  const entry = config.kernels.find((kernel) => kernel.name === name);
  if (entry) return entry;
  const names = config.kernels.map((kernel) => kernel.name);
  const close = nearest(name, names);
  throw new KernloopError(
    'KERNEL_UNKNOWN',
    `${config.name} declares no kernel "${name}"`,
    names.length === 0
      ? `declare it with \`kernloop declare ${name}\`; \`kernloop profile\` lists what the app launches`
      : `${close.length > 0 ? `did you mean ${close.join(', ')}? ` : ''}declared: ${names.join(', ')}`,
  );
}

/**
 * Names of the requested kernels, each once; all kernels if none was requested. A request is a declared name, or else a
 * regular expression that fits one, or the name of a kernel that one declares: which one is said.
 */
export function selectedKernels(app: App, asked: readonly string[], report: Pick<Reporter, 'info'>): string[] {
  const all = app.config.kernels.map(({ name }) => name);
  const names =
    asked.length > 0 ? [...new Set(withCommas(asked).map((text) => declaredName(app, text, all, report)))] : all;
  if (names.length > 0) return names;
  throw new KernloopError(
    'KERNEL_UNKNOWN',
    `${app.config.name} declares no kernel`,
    'declare one with `kernloop declare NAME`; `kernloop profile` lists what the app launches',
  );
}

function declaredName(app: App, text: string, all: readonly string[], report: Pick<Reporter, 'info'>): string {
  if (all.includes(text)) return text;
  const pattern = expressionOf(text);
  const named = all.filter((name) => pattern.test(name));
  // A mistyped name of a function is found in many an expression; with its parameters it is that of a kernel.
  const isKernel = /[(<]/.test(text);
  const ofKernel = isKernel ? app.config.kernels.filter((each) => isMatched(each, { name: text })) : [];
  const found = named.length > 0 ? named : ofKernel.map(({ name }) => name);
  // Throws if none has the name.
  const [only = app.kernel(text).name] = found;
  if (found.length < 2) {
    report.info(`"${text}" is taken for ${only}, the declared kernel that it fits`);
    return only;
  }
  throw new KernloopError(
    'USAGE',
    `"${text}" matches ${found.length} kernels of ${app.config.name}: ${found.join(', ')}`,
    `name one of them, or several: ${found
      .slice(0, shownMatches)
      .map((name) => `-k ${name}`)
      .join(' ')}; without -k all of them are taken`,
  );
}

const shownMatches = 4;

/** Names as they were typed: the command line splits `scale<float, 4>` at its comma. */
export function withCommas(items: readonly string[]): string[] {
  const whole: string[] = [];
  let open = '';
  for (const item of items) {
    open = open === '' ? item : `${open}, ${item}`;
    if (count(open, /[<(]/g) > count(open, /[>)]/g)) continue;
    whole.push(open);
    open = '';
  }
  return open === '' ? whole : [...items];
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Folders with a kernloop.json one or two levels below, as a hint for someone in the wrong folder. */
function appsBelow(folder: string): string {
  const found = appsIn(folder, 2).folders.map((app) => relative(folder, app) || '.');
  return found.length === 0 ? '' : ` (apps below here: ${found.slice(0, 5).join(', ')})`;
}
