import type { ComparedRegion, DispatchReport } from '../validate/report-json';
import { nameOf } from '../validate/regions';
import { bytesOf } from '../reproducer/signature';
import type { Worst } from './judgement-json';

const most = 16;

/**
 * Arrays with wrong elements, those with the greatest share of them first. Values of a derived input, which is secret,
 * are left out: only places and counts are told.
 */
export function worstOf(reports: readonly Pick<DispatchReport, 'regions' | 'inputs'>[]): Worst[] {
  const all = reports.flatMap(({ regions, inputs }) => {
    const found = regions.flatMap((region) => worstIn(region));
    return (inputs?.failed ?? null) === null ? found : found.map(withoutValues);
  });
  const share = ({ wrong, elements }: Worst): number => wrong / Math.max(1, elements);
  return all.sort((a, b) => share(b) - share(a)).slice(0, most);
}

const withoutValues = ({ where, type, elements, wrong }: Worst): Worst => ({
  ...{ where, type, elements, wrong },
  ...{ max_abs_error: null, max_rel_error: null, max_ulp_error: null, first: null },
});

function worstIn(region: ComparedRegion): Worst[] {
  return region.elements.flatMap((met): Worst[] => {
    if (met.outside === 0) return [];
    const [first] = met.first_outside;
    return [
      {
        where: met.arguments?.join(', ') ?? nameOf(region),
        type: met.dtype,
        elements: met.elements,
        wrong: met.outside,
        max_abs_error: met.max_abs_error ?? null,
        max_rel_error: met.max_rel_error ?? null,
        max_ulp_error: met.max_ulp_error ?? null,
        first: first
          ? {
              element: Math.floor((first.offset - met.offset) / bytesOf(met.dtype)),
              expected: first.expected,
              actual: first.actual,
            }
          : null,
      },
    ];
  });
}
