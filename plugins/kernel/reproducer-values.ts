import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { candidateFiles } from '../../lib/reproducer/known-variants';
import { sha256, sha256OfFile } from '../../lib/support/files';
import { currentVariant, untouchedVariant, type Known } from '../../lib/recompile/current-variant';
import { fieldOf, jsonReader, memoised, type JsonReader } from './lenient-json';
import { trackedVariants } from './tracked-variants';
import { shortDigest, valueFile, type TaskValues } from './task-values';
import type { Environment } from '../../lib/support/environment';
import { kernloopFile, kernelFile } from '../../lib/support/project-file-names';

/** What went into what recompile built, where it would build the same now; or will, where the source is untouched. */
export const builtFile = (root: string): string => valueFile('built', root);
/** What validate judges and reads that Nx does not hash: see `judged`. */
export const judgedFile = (root: string): string => valueFile('judged', root);

/** Which values of `--variant` the digests below know; the executor refuses others (executors/tracked.ts). */
export const trackedVariable = 'KERNLOOP_TRACKED_VARIANTS';

/**
 * Nx hashes what git shows of a project: no ignored file, no content behind a link, nothing outside, and a file of the same time as before
 * by its old digest. What decides a verdict is therefore hashed here, from the files themselves, before the tasks of a command.
 */
export function reproducerValues(
  kernelFiles: readonly string[],
  workspaceRoot: string,
  argv: readonly string[],
  env: Environment,
  toolchain: string,
  // An app may have thousands of kernels.
  json: JsonReader = jsonReader(),
): { values: TaskValues; tracked: readonly string[] } {
  // Headers of the system are the same for all.
  const known = { digestOf: memoised(sha256OfFile), toolchain };
  const named = new Set<string>();
  const entries = kernelFiles.flatMap((file): [string, string][] => {
    const folder = join(workspaceRoot, dirname(file));
    const root = dirname(file);
    const variants = trackedVariants(folder, json(join(workspaceRoot, 'nx.json')), argv, env, json);
    for (const variant of variants) named.add(variant);
    return [
      [builtFile(root), orFresh(() => built(folder, env, known))],
      [judgedFile(root), orFresh(() => judged(folder, workspaceRoot, variants, known.digestOf, json))],
    ];
  });
  return { values: Object.fromEntries(entries), tracked: [...named].sort() };
}

type Digest = (path: string) => string;

/** A value that no cache entry has, where something is not known or has to be done: then it is no hit, whatever else is equal. */
function orFresh(value: () => string | undefined): string {
  try {
    return shortDigest(value() ?? randomUUID());
  } catch {
    // The task runs, and says what is wrong.
    return shortDigest(randomUUID());
  }
}

function built(folder: string, env: Environment, known: Known): string | undefined {
  if (!existsSync(join(folder, 'build', 'variant.json'))) return untouchedVariant(folder, env, known);
  const current = (lineInfo: boolean): string | undefined => currentVariant(folder, { lineInfo }, env, known);
  return current(false) ?? current(true) ?? untouchedVariant(folder, env, known);
}

function judged(
  folder: string,
  workspaceRoot: string,
  variants: readonly string[],
  digestOf: Digest,
  json: JsonReader,
): string {
  const recompiled = ['hsaco', 'cubin'].map((extension) => join(folder, 'build', `variant.${extension}`));
  const named = variants.filter((variant) => !recompiled.includes(resolve(folder, variant)));
  const files = [kernelFile, ...candidateFiles(folder), ...named, ...linkedCaptureFiles(folder)];
  const lines = files.map((name) => `${name} ${contentOf(resolve(folder, name), digestOf)}`);
  return sha256([...lines, optionsOfApp(folder, workspaceRoot, json)].join('\n'));
}

/** Links are followed. */
function contentOf(path: string, digestOf: Digest): string {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? digestOf(path) : 'none';
}

/** A capture is hashed by Nx as the output of its task or as a file, unless it is a link. */
function linkedCaptureFiles(folder: string): string[] {
  const several = namesIn(join(folder, 'captures')).map((name) => join('captures', name));
  return ['capture', ...several].flatMap((capture) => {
    const files = ['capture.json', 'selfcheck.json'].map((name) => join(capture, name));
    const isLinked = [dirname(capture), capture, ...files].some((name) => isLink(join(folder, name)));
    return isLinked ? files : [];
  });
}

/** What kernloop.json of the app says for every kernel counts here too (lib/stages/configure.ts). */
function optionsOfApp(folder: string, workspaceRoot: string, json: JsonReader): string {
  const root = fieldOf(fieldOf(json(join(folder, kernelFile)), 'app'), 'root');
  if (typeof root !== 'string') return 'none';
  return JSON.stringify(fieldOf(json(join(workspaceRoot, root, kernloopFile)), 'options') ?? {});
}

function namesIn(folder: string): string[] {
  return existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder).sort() : [];
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
