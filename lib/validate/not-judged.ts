import type { CapturedDispatch, ChosenDispatches } from '../replay/captured-dispatches';
import type { Code } from '../reproducer/reproducer';
import type { Report, Verdict } from './report-json';

/** Captures beside the dispatches that were judged. */
export interface Beside extends Omit<ChosenDispatches, 'chosen'> {
  /** Value of --capture. */
  capture: string | undefined;
  code: Code;
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
  const words = [...editWords(beside), ...placeWords(beside), ...leftOutWords(beside)];
  return (verdict === 'pass' ? [...words, summary] : [summary, ...words]).join('; ');
}

/** Warns if the captured code passes while an edit exists: `--variant none` may be set in a file and forgotten. */
function editWords({ code }: Beside): string[] {
  return code.kind === 'captured' && code.unjudged !== undefined
    ? [`${code.unjudged.words} is NOT judged: --variant none takes the captured code`]
    : [];
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
