import { misnamedElements, withCapturedTypes } from '../reproducer/signature';
import type { ToleranceEvent } from '../replay/replay-events';
import type { Deps } from '../deps/deps';
import type { DispatchReport } from './report-json';
import { runCase, verdictOf, type Case } from './run-case';
import { planElements, type ElementPlan } from './tolerance';

interface Rounding {
  /** Most units in the last place that two right results may be apart. */
  ulp: number;
  /** Unit roundoff: the greatest relative error of one rounding. */
  unit: number;
  /** Greatest error of sums that are nearly 0, in unit roundoffs of the large values. */
  unitsOfLarge: number;
}

/**
 * f32, f64: 4 units in the last place, as EXPECT_FLOAT_EQ and EXPECT_DOUBLE_EQ of GoogleTest, and as OpenCL allows its
 * functions such as sin; 30 unit roundoffs of the large values, the threshold of LAPACK's tests. Narrow types: results
 * are computed in f32 and rounded once, so that right ones are neighbours.
 */
const roundings: Readonly<Partial<Record<string, Rounding>>> = {
  f64: { ulp: 4, unit: 2 ** -53, unitsOfLarge: 30 },
  f32: { ulp: 4, unit: 2 ** -24, unitsOfLarge: 30 },
  f16: { ulp: 1, unit: 2 ** -11, unitsOfLarge: 2 },
  bf16: { ulp: 1, unit: 2 ** -8, unitsOfLarge: 2 },
  f8e4m3: { ulp: 1, unit: 2 ** -4, unitsOfLarge: 2 },
  f8e4m3fnuz: { ulp: 1, unit: 2 ** -4, unitsOfLarge: 2 },
  f8e5m2: { ulp: 1, unit: 2 ** -3, unitsOfLarge: 2 },
  f8e5m2fnuz: { ulp: 1, unit: 2 ** -3, unitsOfLarge: 2 },
};

type Elements = DispatchReport['regions'][number]['elements'][number];
type Offered = Pick<NonNullable<DispatchReport['usual_tolerance']>, 'ulp' | 'atol' | 'beside'>;

/**
 * Tolerance that explains the differences by rounding, if there is one and a replay judged with it passes. The verdict
 * stays: only the user can allow a tolerance.
 */
export async function usualTolerance(
  judged: Case,
  report: DispatchReport,
  deps: Deps,
): Promise<DispatchReport['usual_tolerance']> {
  const { session, plan, ignored } = judged;
  const isOfValues = report.verdict === 'fail' && report.differing_bytes > 0 && !report.races?.length && !report.fault;
  const { config } = session.reproducer;
  const isMisnamed = misnamedElements(withCapturedTypes(config, session.capture)).length > 0;
  // Elements of a doubtful type have no rounding.
  if (plan.bounds !== null || plan.tolerable === 0 || !isOfValues || isMisnamed) return undefined;
  const differing = report.regions
    .flatMap(({ elements }) => elements.filter(({ outside }) => outside > 0))
    .map((part) => ({ ...part, ...part.in_any_replay }));
  const offered = unitsOf(differing) ?? absoluteOf(differing, plan);
  if (!offered) return undefined;
  const { ulp, atol } = offered;
  // No type was given without a tolerance.
  const tolerant = planElements({ ulp, atol, dtype: [], forceDtype: false }, config, session.capture, ignored);
  const run = await runCase({ ...judged, plan: tolerant }, 0, deps);
  if (verdictOf(run) !== 'pass') return undefined;
  return { ...offered, dtypes: [...new Set(differing.map(({ dtype }) => dtype))], ...worst(differing) };
}

/** Units in the last place, where no element is off by more than its type's. */
function unitsOf(differing: readonly Elements[]): Offered | undefined {
  const isRounding = ({ dtype, max_ulp_error: ulp }: Elements): boolean =>
    typeof ulp === 'number' && ulp <= (roundings[dtype]?.ulp ?? -1);
  if (differing.length === 0 || !differing.every(isRounding)) return undefined;
  return { ulp: Math.max(...differing.map(({ max_ulp_error: ulp }) => ulp ?? 0)), atol: 0, beside: null };
}

/**
 * An absolute tolerance, if only elements near 0 are further off: a sum of both signs that is nearly 0 has the rounding
 * of its terms, which is many units of its own last place. A wrong factor is none of this: its relative error is the
 * same everywhere. A term that is missing moves all elements the same way. One number holds for all arrays, so that there must be only one: values of another may be smaller.
 */
function absoluteOf([only, ...others]: readonly Elements[], { tolerable }: ElementPlan): Offered | undefined {
  const rounding = only && roundings[only.dtype];
  if (!rounding || others.length > 0 || tolerable !== 1) return undefined;
  const { max_abs_error: error, max_rel_error: relative, first_outside: shown, worst } = only;
  const examples = [...shown, ...(worst ? [worst] : [])];
  const values = examples.map(({ expected }) => Math.abs(Number(expected)));
  const beside = Math.max(0, ...values.filter(Number.isFinite));
  if (typeof error !== 'number' || typeof relative !== 'number') return undefined;
  if (isOneSided(examples) || isSteady(examples, steadyUnits * rounding.unit * beside)) return undefined;
  const ofLarge = rounding.unit * rounding.unitsOfLarge;
  // A wrong factor is off by as many units in the last place of large elements as of small ones.
  const isFewUnits = error <= 2 * rounding.ulp * rounding.unit * beside;
  if (error > ofLarge * beside || (relative <= ofLarge && !isFewUnits)) return undefined;
  return { ulp: 0, atol: roundedUp(error), beside };
}

/** Errors of few roundings are multiples of one unit, so that several may be the same. */
const steadyUnits = 8;

/** Errors of many roundings differ from each other. A wrong term of either sign has the same size everywhere. */
function isSteady(examples: Elements['first_outside'], least: number): boolean {
  const sizes = examples.map(({ expected, actual }) => Math.abs(Number(actual) - Number(expected)));
  const smallest = Math.min(...sizes);
  return sizes.length > 3 && smallest > least && smallest > 0.75 * Math.max(...sizes);
}

/** Errors of rounding have both signs. A term too much, or one too few, moves all elements the same way. */
function isOneSided(examples: Elements['first_outside']): boolean {
  const errors = examples.map(({ expected, actual }) => Number(actual) - Number(expected));
  const isMoved = errors.every((error) => error > 0) || errors.every((error) => error < 0);
  return errors.length > 3 && isMoved;
}

/** Two significant digits. */
function roundedUp(value: number): number {
  const near = Number(value.toPrecision(2));
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  return near >= value ? near : Number((near + step).toPrecision(2));
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

/** "not equal byte for byte, but as close as rounding of f32 is (at most 1 ULP off): `--ulp 1` accepts it". */
export function usualToleranceLine({ usual_tolerance: usual }: Pick<DispatchReport, 'usual_tolerance'>): string[] {
  if (!usual) return [];
  const { dtypes, ulp, beside, max_abs_error: error } = usual;
  const size =
    beside === null ? `${ulp} ULP off` : `${error?.toPrecision(3)} off, beside values such as ${beside.toPrecision(3)}`;
  return [
    `not equal byte for byte, but as close as rounding of ${dtypes.join(' and ')} is (at most ${size}): \`${toleranceWords(usual)}\` accepts it`,
  ];
}

/** Options of validate: "--ulp 1". */
export const toleranceWords = ({ ulp, atol }: { ulp: number; atol: number }): string =>
  [...(ulp > 0 ? [`--ulp ${ulp}`] : []), ...(atol > 0 ? [`--atol ${atol}`] : [])].join(' ');
