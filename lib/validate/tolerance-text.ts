import { formatCount, table } from '../support/report';
import type { Report } from './report-json';

type ToleranceReport = NonNullable<Report['tolerance']>;

/** The rule by which elements pass, as the report states it. */
export function describePolicy({ atol, rtol, ulp }: Pick<ToleranceReport, 'atol' | 'rtol' | 'ulp'>): string {
  return (
    `an element passes when it is equal, within atol ${atol} + rtol ${rtol} × |what the app computed|, or, if it is floating-point, ` +
    `at most ${ulp} ULP away; NaN passes only for NaN, an infinity only for the same one; all other bytes must be equal`
  );
}

export function summaryOfTolerance({ atol, rtol, ulp, judged }: ToleranceReport): string {
  const sum = (of: 'elements' | 'within'): number => judged.reduce((total, met) => total + met[of], 0);
  return `${formatCount(sum('within'))} of ${formatCount(sum('elements'))} elements differ within the tolerance: atol ${atol}, rtol ${rtol}, ${ulp} ULP`;
}

/** A row for each range of elements, and what stayed exact. */
export function toleranceLines(tolerance: Report['tolerance']): string[] {
  if (!tolerance) return [];
  const header = ['where', 'type', 'elements', 'equal', 'within', 'outside', 'max abs', 'max rel', 'max ULP'];
  const rows = tolerance.judged.map((met) => [
    `${met.region ?? met.variable ?? '?'}${met.offset > 0 ? `+${met.offset}` : ''}`,
    met.dtype,
    ...[met.elements, met.equal, met.within, met.outside].map(formatCount),
    ...[met.max_abs_error, met.max_rel_error].map((error) => (error ?? Number.NaN).toPrecision(3)),
    typeof met.max_ulp_error === 'number' ? formatCount(met.max_ulp_error) : '-',
  ]);
  const notFinite = tolerance.judged.reduce((total, met) => total + met.not_finite, 0);
  return [
    ...table([header, ...rows]),
    ...(notFinite > 0 ? [`${formatCount(notFinite)} elements are NaN or infinite on one side only`] : []),
    ...(tolerance.untyped.length > 0
      ? [`compared byte by byte, for want of a type (--dtype): ${tolerance.untyped.join(', ')}`]
      : []),
  ];
}
