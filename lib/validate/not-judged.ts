import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Device } from '../device/device';
import type { CapturedDispatch, ChosenDispatches } from '../replay/captured-dispatches';
import { reproducerPaths } from '../reproducer/layout';
import type { Code, Reproducer } from '../reproducer/reproducer';
import { isInside } from '../support/files';
import { readJson } from '../support/schema';
import { isCaptured, recipeSchema } from '../toolchain/recipe';
import type { Report, Verdict } from './report-json';
import type { Case } from './run-case';

/** The one part of the recipe that tells. */
const provenSchema = z.looseObject({ code_object: recipeSchema.shape.code_object });

/** Captures beside the dispatches that were judged. */
export interface Beside extends Omit<ChosenDispatches, 'chosen'> {
  /** Value of --capture. */
  capture: string | undefined;
  code: Code;
  /** File of a source that did not recompile to the captured code when it was generated. */
  unproven: string | null;
  /** Option that turns off the judgement of races, if any. */
  racesOff: 'adverse' | 'delays' | null;
}

/** Option by which a file, a variable or the command line turns off what finds races on this device by default. */
export function racesOff(
  { adverse, delays }: Pick<Case, 'adverse' | 'delays'>,
  { seeded, hasPtx }: Device,
): Beside['racesOff'] {
  if (seeded) return adverse ? null : 'adverse';
  return hasPtx && delays === 0 ? 'delays' : null;
}

export function notJudged({ otherKernels, leftOut }: Beside): Report['not_judged'] {
  return [
    ...leftOut.map((one) => ({ ...rowOf(one), reason: 'left out' as const })),
    ...otherKernels.map((one) => ({ ...rowOf(one), reason: 'another kernel' as const })),
  ];
}

const rowOf = ({ dispatch, shown, capture: { kernel } }: CapturedDispatch) => ({
  dispatch,
  capture: shown,
  kernel: kernel.name,
  symbol: kernel.symbol,
});

/** Maximum number of dispatches to list. */
const mostNamed = 8;

/** Puts what was left out before a pass, which is then none of the whole kernel; after a failure's reason. */
export function withLeftOut(summary: string, verdict: Verdict, beside: Beside): string {
  const words = [
    ...editWords(beside),
    ...unprovenWords(beside),
    ...placeWords(beside),
    ...leftOutWords(beside),
    ...otherKernelWords(beside),
  ];
  return (
    verdict === 'pass' ? [...racesWords(beside), ...macroWords(beside), ...words, summary] : [summary, ...words]
  ).join('; ');
}

/** Warns if the captured code passes while an edit exists: `--variant none` may be set in a file and forgotten. */
function editWords({ code }: Beside): string[] {
  return code.kind === 'captured' && code.unjudged !== undefined
    ? [`${code.unjudged.words} is NOT judged: --variant none takes the captured code`]
    : [];
}

/** An edit is judged by the captured code, from which such a source may have differed before the edit. */
function unprovenWords({ code, unproven }: Beside): string[] {
  if (unproven === null || (code.kind === 'captured' && code.unjudged !== undefined)) return [];
  return [
    code.kind === 'captured'
      ? `NOT judged: ${unproven}, which is not proven to be its source`
      : `NOT proven: that ${unproven} was the captured kernel before the edit (it did not recompile to it)`,
  ];
}

/**
 * The source in the folder, unless it was shown to be that of the captured code when it was generated. Null for code
 * that was not compiled from it.
 */
export function unprovenSource({ root, config: { source, language }, files }: Reproducer, code: Code): string | null {
  const { recipe, build } = reproducerPaths(root);
  if (language === 'none' || source === null || !existsSync(recipe)) return null;
  if (code.kind === 'variant' && !isInside(build, code.path)) return null;
  const { code_object: proven } = readJson(recipe, provenSchema, 'SOURCE_NOT_FOUND', 'generate it again', files);
  return isCaptured(proven) ? null : source.variant;
}

function racesWords({ code, racesOff: option }: Beside): string[] {
  if (code.kind === 'captured' || option === null) return [];
  return [`races NOT judged (${option === 'adverse' ? 'adverse is off' : 'delays are off'})`];
}

function macroWords({ code }: Beside): string[] {
  const { ownMacros = [] } = code.kind === 'variant' ? code : {};
  return ownMacros.length === 0 ? [] : [`NOT the app's macros: ${ownMacros.join(', ')}`];
}

function placeWords({ code }: Beside): string[] {
  return code.kind === 'variant' && code.isPlaceDependent === true
    ? [
        'NOT judged: what the variant makes of where and when it is compiled (__FILE__, __DATE__), which is another place in the app',
      ]
    : [];
}

function leftOutWords({ leftOut, capture }: Beside): string[] {
  if (leftOut.length === 0) return [];
  const numbers = leftOut.slice(0, mostNamed).map(({ dispatch }) => dispatch);
  const more = leftOut.length > mostNamed ? ` and ${leftOut.length - mostNamed} more` : '';
  const [noun, pronoun] = leftOut.length === 1 ? ['dispatch', 'it'] : ['dispatches', 'them'];
  return [`${noun} ${numbers.join(', ')}${more} NOT judged: --capture ${capture} leaves ${pronoun} out`];
}

function otherKernelWords({ otherKernels: { length } }: Beside): string[] {
  if (length === 0) return [];
  return [length === 1 ? 'NOT judged: 1 capture of another kernel' : `NOT judged: ${length} captures of other kernels`];
}
