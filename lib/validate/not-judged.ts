import type { Device } from '../device/device';
import type { OptionsOnDevice } from './device-options';
import type { CapturedDispatch, ChosenDispatches } from '../replay/captured-dispatches';
import type { Code } from '../reproducer/reproducer';
import type { Report, Verdict } from './report-json';

/** Captures beside the dispatches that were judged. */
export interface Beside extends Omit<ChosenDispatches, 'chosen'> {
  /** Value of --capture. */
  capture: string | undefined;
  code: Code;
  /** Option that turns off the judgement of races, if any. */
  racesOff: 'adverse' | 'delays' | null;
}

/** Option by which a file, a variable or the command line turns off what finds races on this device by default. */
export function racesOff({ adverse, delays }: OptionsOnDevice, { seeded, hasPtx }: Device): Beside['racesOff'] {
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
  const words = [...editWords(beside), ...placeWords(beside), ...leftOutWords(beside), ...otherKernelWords(beside)];
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
