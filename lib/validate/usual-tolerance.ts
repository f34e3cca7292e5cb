import type { ElementType } from '../reproducer/kernel-json';
import { isFloat, misnamedElements, withCapturedTypes } from '../reproducer/signature';
import type { ToleranceEvent } from '../replay/replay-events';
import type { Deps } from '../deps/deps';
import type { ToleranceOptions } from './options';
import type { DispatchReport } from './report-json';
import { runCase, verdictOf, type Case } from './run-case';
import { planElements } from './tolerance';

interface Usual {
  atol: number;
  rtol: number;
}

/** Defaults of torch.testing.assert_close for each type; for 8-bit floats, which it lacks, a step of the type. */
const usualTolerances: Readonly<Partial<Record<ElementType, Usual>>> = {
  f64: { atol: 1e-7, rtol: 1e-7 },
  f32: { atol: 1e-5, rtol: 1.3e-6 },
  f16: { atol: 1e-5, rtol: 1e-3 },
  bf16: { atol: 1e-5, rtol: 1.6e-2 },
  f8e4m3: { atol: 1e-5, rtol: 0.125 },
  f8e4m3fnuz: { atol: 1e-5, rtol: 0.125 },
  f8e5m2: { atol: 1e-5, rtol: 0.25 },
  f8e5m2fnuz: { atol: 1e-5, rtol: 0.25 },
};

/**
 * Whether a result that differs would pass with the usual tolerance of its types, found by judging again. The verdict
 * stays: only the user can allow a tolerance.
 */
export async function usualTolerance(
  judged: Case,
  report: DispatchReport,
  options: ToleranceOptions,
  deps: Deps,
): Promise<DispatchReport['usual_tolerance']> {
  const { session, plan, ignored } = judged;
  const isOfValues = report.verdict === 'fail' && report.differing_bytes > 0 && !report.races?.length && !report.fault;
  const { config } = session.reproducer;
  const isMisnamed = misnamedElements(withCapturedTypes(config, session.capture)).length > 0;
  // Elements of a doubtful type have no usual tolerance.
  if (plan.bounds !== null || !isOfValues || isMisnamed) return undefined;
  const differing = report.regions.flatMap(({ elements }) => elements.filter(({ outside }) => outside > 0));
  const dtypes = [...new Set(differing.map(({ dtype }) => dtype))].filter(isElementOfUsual);
  const bounds = dtypes.map((dtype) => usualTolerances[dtype]).filter((each) => each !== undefined);
  if (bounds.length === 0) return undefined;
  const [atol, rtol] = [Math.max(...bounds.map((each) => each.atol)), Math.max(...bounds.map((each) => each.rtol))];
  const tolerant = planElements({ ...options, atol, rtol }, config, session.capture, ignored);
  const run = await runCase({ ...judged, plan: tolerant }, 0, deps);
  if (verdictOf(run) !== 'pass') return undefined;
  return { atol, rtol, dtypes, ...worst(differing) };
}

function isElementOfUsual(dtype: string): dtype is ElementType {
  return isFloat(dtype as ElementType) && dtype in usualTolerances;
}

type Met = Pick<ToleranceEvent, 'max_abs_error' | 'max_rel_error'>;

function worst(met: readonly Met[]): { max_abs_error: number | null; max_rel_error: number | null } {
  const max = (values: readonly (number | null | undefined)[]): number | null => {
    const numbers = values.filter((value) => typeof value === 'number');
    return numbers.length === values.length ? Math.max(...numbers) : null;
  };
  return {
    max_abs_error: max(met.map((each) => each.max_abs_error)),
    max_rel_error: max(met.map((each) => each.max_rel_error)),
  };
}

/** "not equal, byte for byte, but within the usual tolerance of f16: `--atol 0.00001 --rtol 0.001` accepts it". */
export function usualToleranceLine({ usual_tolerance: usual }: Pick<DispatchReport, 'usual_tolerance'>): string[] {
  if (!usual) return [];
  const { dtypes, max_abs_error: error } = usual;
  const size = typeof error === 'number' ? ` (at most ${error.toPrecision(3)} off)` : '';
  return [
    `not equal byte for byte, but within the usual tolerance of ${dtypes.join(' and ')}${size}: \`${optionsOf(usual)}\` accepts it`,
  ];
}

const optionsOf = ({ atol, rtol }: Usual): string => `--atol ${atol} --rtol ${rtol}`;
