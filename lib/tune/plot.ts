import type { TopLevelSpec } from 'vega-lite';
import { timeWords } from '../device/emulated-driver';
import type { Candidate, TuneResult } from './result';

type Result = Pick<TuneResult, 'kernel' | 'device' | 'scored_by' | 'space' | 'candidates' | 'captured'>;

/** Plots scores: lines if one or two parameters vary; otherwise a plot per parameter, a point per candidate. */
export function tunePlot(result: Result): TopLevelSpec {
  const varying = result.space.parameters.filter(({ values }) => values.length > 1).map(({ name }) => name);
  const [first = '', second, ...others] =
    varying.length > 0 ? varying : result.space.parameters.map(({ name }) => name);
  const score = { field: 'score', type: 'quantitative', title: scoreTitle(result), scale: { zero: false } } as const;
  const shape = { field: 'status', type: 'nominal', title: 'status' } as const;
  const title = `${result.kernel}: ${scoreTitle(result)}`;
  const values = pointsOf(result);
  const captured = capturedScore(result);
  const order = (name: string): string[] | number[] => ordered(values.flatMap((point) => point[name] ?? []));
  if (others.length > 0) {
    const folded = values.flatMap((point) =>
      varying.map((name) => ({ ...point, parameter: name, value: String(point[name] ?? '') })),
    );
    return {
      title,
      data: { values: folded },
      facet: { field: 'parameter', type: 'nominal', title: null },
      columns: 3,
      resolve: { scale: { x: 'independent' } },
      spec: {
        width: 240,
        height: 200,
        mark: { type: 'point', filled: true, opacity: 0.7 },
        encoding: {
          x: { field: 'value', type: 'ordinal', title: null, sort: varying.flatMap((name) => order(name).map(String)) },
          ...{ y: score, shape, color: shape },
        },
      },
    };
  }
  return {
    title,
    width: 480,
    height: 300,
    layer: [
      {
        // Fixed field names, because Vega-Lite interprets brackets and dots in them.
        data: { values: values.map((point) => ({ ...point, first: point[first], second: point[second ?? ''] })) },
        mark: { type: 'line', point: { filled: true, size: 60 } },
        encoding: {
          x: { field: 'first', type: 'ordinal', title: first, sort: order(first), axis: axisOf(order(first)) },
          y: score,
          ...(second === undefined ? {} : { color: { field: 'second', type: 'nominal', title: second } }),
        },
      },
      ...(captured === null
        ? []
        : [
            {
              data: { values: [{ score: captured, what: 'captured code' }] },
              mark: { type: 'rule' as const, strokeDash: [4, 4] },
              encoding: { y: { field: 'score', type: 'quantitative' as const } },
            },
            {
              data: { values: [{ score: captured, what: 'captured code' }] },
              mark: { type: 'text' as const, align: 'right' as const, dy: -6, x: 'width' as const },
              encoding: {
                y: { field: 'score', type: 'quantitative' as const },
                text: { field: 'what', type: 'nominal' as const },
              },
            },
          ]),
    ],
  };
}

/** Short labels are horizontal; long ones would overlap. */
const axisOf = (labels: readonly (string | number)[]): { labelAngle?: number } =>
  labels.reduce((sum: number, label) => sum + String(label).length + 2, 0) < 60 ? { labelAngle: 0 } : {};

/** Values of a parameter as an axis shows them: numbers by size, all else as they come. */
function ordered(values: readonly (string | number)[]): string[] | number[] {
  const all = [...new Set(values)];
  const numbers = all.filter((value) => typeof value === 'number');
  return numbers.length === all.length ? numbers.sort((a, b) => a - b) : all.map(String);
}

const scoreTitle = ({ device, scored_by: scoredBy }: Result): string =>
  scoredBy === 'wave_instructions'
    ? 'executed wave-instructions'
    : `${timeWords(device, 'time')} of that of the captured code`;

const scoreNumber = ({ score }: Pick<Candidate, 'score'>): number | null =>
  score?.wave_instructions ?? score?.time_ratio ?? null;

const capturedScore = ({ captured }: Result): number | null =>
  captured?.wave_instructions ?? captured?.time_ratio ?? null;

/** Candidates that are not right have no score and no point. */
function pointsOf({ candidates }: Result): Record<string, string | number>[] {
  return candidates.flatMap((one) => {
    const score = scoreNumber(one);
    if (score === null) return [];
    const parameters = Object.fromEntries(
      Object.entries(one.parameters).map(([name, value]) => [name, typeof value === 'boolean' ? String(value) : value]),
    );
    return [{ ...parameters, score, status: one.is_base ? 'base' : one.status }];
  });
}
