import type { Bounds } from '../replay/program';
import { formatCount } from '../support/report';
import type { ComparedRegion } from './report-json';

const specialWords = {
  match: (what: string) => `${what} passes only for the same`,
  refuse: (what: string) => `${what} never passes`,
  ignore: (what: string) => `anything passes where the app has ${what}, which passes nowhere else`,
} as const;

/** Rule for passing elements, as the report states it. */
export function describePolicy({ atol, rtol, ulp, matched, nan, inf }: Bounds): string {
  const share = matched < 1 ? `; ${matched * 100} % of the elements must pass` : '';
  return (
    `an element passes when it is equal, within atol ${atol} + rtol ${rtol} × |what the app computed|, or, if it is floating-point, ` +
    `at most ${ulp} ULP away; ${specialWords[nan]('NaN')}; ${specialWords[inf]('an infinity')}${share}; all other bytes must be equal`
  );
}

export function summaryOfTolerance({ atol, rtol, ulp, matched }: Bounds, regions: readonly ComparedRegion[]): string {
  const judged = regions.flatMap(({ elements }) => elements).filter(({ exact }) => !exact);
  const sum = (of: 'elements' | 'within' | 'excused' | 'refused'): number =>
    judged.reduce((total, met) => total + met[of], 0);
  const excused = sum('excused') > 0 ? `, ${formatCount(sum('excused'))} more are excused by the matched ratio` : '';
  const refused = sum('refused') > 0 ? `, ${formatCount(sum('refused'))} are NaN or infinite, which is refused` : '';
  const ratio = matched < 1 ? `, ${matched * 100} % matched` : '';
  return `${formatCount(sum('within'))} of ${formatCount(sum('elements'))} elements differ within the tolerance${excused}${refused}: atol ${atol}, rtol ${rtol}, ${ulp} ULP${ratio}`;
}
