import type { ReplayOutcome } from '../replay/program';
import type { InitializerReport } from './report-json';

/** Variables whose initializer the variant's source changes, and which value was judged. */
export function initializersOf(outcomes: readonly ReplayOutcome[]): InitializerReport[] {
  const all = new Map<string, InitializerReport>();
  for (const one of outcomes.flatMap(({ initializers }) => initializers)) all.set(one.variable, one);
  return [...all.values()];
}

/** Text printed beside the verdict, which holds only for these values. */
export function initializerWords(initializers: readonly InitializerReport[] = []): string[] {
  const named = (judged: InitializerReport['judged']): string =>
    initializers.flatMap((one) => (one.judged === judged ? [one.variable] : [])).join(', ');
  const unknown = named('unknown');
  const app = named('app');
  return [
    ...(unknown
      ? [
          `NOT judged: whether the app sets ${unknown}, whose initializer the variant changes, to what it was initialised with: captures by older versions do not tell`,
        ]
      : []),
    ...(app
      ? [`judged with the app's value of ${app}, which it may have set, and not with the variant's initializer`]
      : []),
  ];
}
