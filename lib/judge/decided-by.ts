import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { captureFile, selfcheckFile } from '../archive/capture-files';
import { decidingFiles } from '../candidate/deciding-files';
import { judgingOptions } from '../candidate/judging';
import type { CandidateOptions } from '../candidate/options';
import type { CapturedDispatch } from '../replay/captured-dispatches';
import { reproducerPaths } from '../reproducer/layout';
import type { Reproducer } from '../reproducer/reproducer';
import { sha256OfFile } from '../support/files';
import { readRegularFile } from '../support/regular-file';
import { validateOptionsSchema, type ValidateOptions } from '../validate/options';
import type { DecidedBy } from './judgement-json';

/** Number of derived inputs where nobody says one. */
const usualInputs = 4;

/** Files and settings of a reproducer that decide a verdict, besides the sources. */
export type DecidedHere = Pick<DecidedBy, 'kernel_json' | 'captures' | 'recipe' | 'overlay' | 'settings'>;

/** Options that say what a candidate is judged by, as those of a judge and of verify-report. */
export const candidateOptions = <S extends { device?: CandidateOptions['device'] }>(
  { root, config }: Reproducer,
  settings: S,
): S & Pick<CandidateOptions, 'reproducer' | 'device'> => ({
  ...settings,
  reproducer: root,
  device: settings.device ?? config.device.kind,
});

/** Options of validate that are in force for candidates of a reproducer. */
export function judgingIn(reproducer: Reproducer, options: CandidateOptions): ValidateOptions {
  const declared = judgingOptions(reproducer, options);
  const inputs = 'inputs' in declared ? declared.inputs : undefined;
  // A launch by HIP does not show what a kernel reads, which other inputs are derived from.
  const usual = options.launch === 'hip' ? 0 : usualInputs;
  return validateOptionsSchema.parse({ ...declared, inputs: inputs ?? usual });
}

/** Reads anew, at each call, the files that decide. */
export function decidedHere(
  { root }: Reproducer,
  chosen: readonly CapturedDispatch[],
  options: CandidateOptions,
  judging: ValidateOptions,
): DecidedHere {
  const files = decidingFiles(options);
  const digest = (path: string): string => files[path] ?? 'none';
  const { kernelJson, recipe, overlayTemplate } = reproducerPaths(root);
  return {
    kernel_json: digest(kernelJson),
    captures: chosen.map(({ dispatch, folder }) => ({
      dispatch,
      capture: digest(captureFile(folder)),
      selfcheck: digest(selfcheckFile(folder)),
    })),
    recipe: existsSync(recipe) ? sha256OfFile(recipe) : 'none',
    overlay: existsSync(overlayTemplate) ? sha256OfFile(overlayTemplate) : 'none',
    settings: comparable(judging),
  };
}

/** Names the files of `names` that are not among these sources, and that an #include or import of theirs could find. */
export function newFiles(root: string, names: readonly string[], sources: readonly string[]): string[] {
  const isPython = sources.some((name) => name.endsWith('.py'));
  const texts = sources.map((name) => readRegularFile(join(root, name), 'utf8'));
  const asked = new Set(texts.flatMap((text) => [...text.matchAll(quoted)].map(([, path = '']) => lastOf(path))));
  const isAnyAsked = texts.some(computesNames);
  const couldBeRead = (name: string): boolean =>
    isAnyAsked || name.startsWith('deps/') || asked.has(lastOf(name)) || (isPython && /\.(py|pyc|so)$/.test(name));
  return names.filter((name) => !sources.includes(name) && couldBeRead(name)).sort();
}

/** Matches every quoted or bracketed text: a macro may hold the name of a header. */
const quoted = /["<]([^"<>\n]+)(?=[">])/g;

/**
 * Whether a text may look for a file whose name is nowhere in quotes or brackets: macros make a string of any words
 * (`#include NAME`, `__has_include(TEXT(a.h))`), and may paste the word that looks.
 */
function computesNames(text: string): boolean {
  const joined = text.replaceAll(/\\\r?\n/g, '');
  const directive = /^\s*(?:#|%:)\s*(?:include|include_next|import|embed)\b\s*(?![\s"<])/m;
  const operator = /\b__has_(?:include|include_next|embed)\b(?!\s*\(\s*["<])/;
  const isPasted = /##|%:%:/.test(joined) && /\b_*has_?|_include\b|_embed\b/.test(joined);
  return directive.test(joined) || operator.test(joined) || isPasted;
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/**
 * Paths and numbers of GPUs differ from machine to machine; the captures are named by their digests. The seed is drawn
 * for each candidate (secret-inputs.ts).
 */
const notCompared: readonly string[] = ['reproducer', 'store', 'gpu', 'capture', 'inputsSeed'];

/** Lists that reports of older versions do not have: an empty one is left out, so that those stay good. */
const laterLists: readonly string[] = ['inputsRecord'];

function comparable(judging: ValidateOptions): Record<string, unknown> {
  const isLeftOut = (name: string, value: unknown): boolean =>
    notCompared.includes(name) || (laterLists.includes(name) && Array.isArray(value) && value.length === 0);
  return Object.fromEntries(
    Object.entries(judging).filter(([name, value]) => value !== undefined && !isLeftOut(name, value)),
  );
}
