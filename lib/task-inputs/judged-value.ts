import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { candidateFiles } from '../reproducer/known-variants';
import { sha256 } from '../support/files';
import { fieldOf, type JsonReader } from '../support/lenient-json';
import { kernelFile, kernloopFile } from '../support/project-file-names';
import type { ReadOnce } from '../support/read-once';

const digests = z.record(z.string(), z.string());
const judgedSchema = z.strictObject({
  /** Files of the reproducer, and files of captures behind links. */
  files: digests,
  /** Variants by the name given. */
  named: digests,
  /** Options in the app's kernloop.json. */
  options: z.string(),
});
type Judged = z.output<typeof judgedSchema>;

/**
 * Digests of files that validate judges or reads and that Nx does not hash: Nx hashes this text, and the task compares
 * it with the files it finds. `variants`: all values that `--variant` may have.
 */
export function judgedValue(
  folder: string,
  workspaceRoot: string,
  variants: readonly string[],
  look: ReadOnce,
  json: JsonReader,
): string {
  const recompiled = ['hsaco', 'cubin'].map((extension) => join(folder, 'build', `variant.${extension}`));
  const named = variants.filter((variant) => !recompiled.includes(resolve(folder, variant)));
  const files = [kernelFile, ...candidateFiles(folder, look), ...linkedCaptureFiles(folder, look)];
  const judged: Judged = {
    files: digestsOf(folder, files, look),
    named: digestsOf(folder, named, look),
    options: sha256(optionsOfApp(folder, workspaceRoot, json)),
  };
  return JSON.stringify(judged);
}

/** The current digests, compared with `before`: the first difference; null if there is none. */
export function changedJudged(
  before: string,
  folder: string,
  workspaceRoot: string,
  look: ReadOnce,
  json: JsonReader,
): string | null {
  const then = judgedSchema.parse(JSON.parse(before));
  const now = judgedSchema.parse(JSON.parse(judgedValue(folder, workspaceRoot, Object.keys(then.named), look, json)));
  const names = new Set([then, now].flatMap(({ files, named }) => [...Object.keys(files), ...Object.keys(named)]));
  const differs = (name: string): boolean =>
    then.files[name] !== now.files[name] || then.named[name] !== now.named[name];
  return [...names].find(differs) ?? (then.options === now.options ? null : `"options" of ${kernloopFile}`);
}

const digestsOf = (folder: string, names: readonly string[], look: ReadOnce): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, contentOf(resolve(folder, name), look)]));

/** Follows links. */
function contentOf(path: string, look: ReadOnce): string {
  return look.isFile(path) ? look.digestOf(path) : 'none';
}

/** Nx hashes a capture as the output of its task or as a file, unless it is a link. */
function linkedCaptureFiles(folder: string, look: ReadOnce): string[] {
  const several = look.namesIn(join(folder, 'captures')).map((name) => join('captures', name));
  return ['capture', ...several].flatMap((capture) => {
    const files = ['capture.json', 'selfcheck.json'].map((name) => join(capture, name));
    const isLinked = [dirname(capture), capture, ...files].some((name) => look.isLink(join(folder, name)));
    return isLinked ? files : [];
  });
}

/** Options for all kernels in the app's kernloop.json count here, too (lib/stages/configure.ts). */
function optionsOfApp(folder: string, workspaceRoot: string, json: JsonReader): string {
  const root = fieldOf(fieldOf(json(join(folder, kernelFile)), 'app'), 'root');
  if (typeof root !== 'string') return 'none';
  return JSON.stringify(fieldOf(json(join(workspaceRoot, root, kernloopFile)), 'options') ?? {});
}
