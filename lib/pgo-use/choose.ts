import { buildWords } from '../pgo/layout';
import { formatCount } from '../support/report';
import { bestOf } from './best';
import type { Figures, JudgedVariant } from './result';

export interface Choice {
  kept: string | null;
  selector: string | null;
  reason: string;
  /** Judgements by variant name. */
  judgements: Readonly<Record<string, string>>;
}

type Candidate = Omit<JudgedVariant, 'judgement'>;

interface Axis {
  name: string;
  of: (figures: Figures) => number | null;
}

/** Measures on the software GPU. Neither is a time, so a gain in one does not excuse a loss in the other. */
const axes: readonly Axis[] = [
  { name: 'wave-instructions', of: ({ wave_instructions: waveInstructions }) => waveInstructions },
  { name: 'scratch wave-dwords', of: ({ scratch_wave_dwords: scratchWaveDwords }) => scratchWaveDwords },
];

/**
 * The best correct variant that beats both the captured code and the compiler without a profile. If the profile only
 * makes up for a loss against another compiler, nothing is gained and nothing is kept.
 */
export function choose(captured: Figures, candidates: readonly Candidate[]): Choice {
  const base = candidates.find(({ name }) => name === 'base');
  const references = [
    { name: 'the captured code', figures: captured },
    ...(base && isRight(base) ? [{ name: 'base', figures: base as Figures }] : []),
  ];
  const { best, judgements, refused } = bestOf(candidates, {
    objection: (one) => objectionTo(one, references),
    reference: (one) => judgeBase(one, captured),
    order,
    isSame: (one, other) => one.time_ratio === null && order(one, other) === 0,
    good: 'right and better',
  });
  const reason = best ? whyKept(best, references) : (whyNothing(candidates, base) ?? refused);
  return { kept: best?.name ?? null, selector: selected(candidates), reason, judgements };
}

const isRight = ({ verdict }: Candidate): boolean => verdict === 'pass';

interface Reference {
  name: string;
  figures: Figures;
}

/** Null if there is no objection. */
function objectionTo(one: Candidate, references: readonly Reference[]): string | null {
  if (!isRight(one)) return `not right: ${one.summary}`;
  for (const reference of references) {
    const worse = one.time_ratio === null ? notBetter(one, reference) : notFaster(one, reference);
    if (worse !== null) return worse;
  }
  return null;
}

function notBetter(one: Figures, { name, figures }: Reference): string | null {
  const pairs = axes.map((axis) => ({ axis: axis.name, mine: axis.of(one), theirs: axis.of(figures) }));
  if (pairs.some(({ mine, theirs }) => mine === null || theirs === null)) return `not measured against ${name}`;
  const worse = pairs.filter(({ mine, theirs }) => Number(mine) > Number(theirs));
  if (worse.length > 0)
    return `worse than ${name}: ${worse.map(({ axis, mine, theirs }) => describe(axis, Number(mine), Number(theirs))).join(', ')}`;
  return pairs.some(({ mine, theirs }) => Number(mine) < Number(theirs)) ? null : `no better than ${name}`;
}

/** Times are intervals: a variant is faster only if they do not overlap. */
function notFaster(one: Figures, { name, figures }: Reference): string | null {
  const bound = figures.time_ratio === null ? 1 : (figures.time_ci95?.low ?? null);
  if (one.time_ci95 === null || bound === null) return `too few samples to compare with ${name}`;
  if (one.time_ci95.high < bound) return null;
  return one.time_ci95.low > (figures.time_ci95?.high ?? 1)
    ? `slower than ${name}`
    : `not measurably faster than ${name}`;
}

function judgeBase(base: Candidate, captured: Figures): string {
  if (!isRight(base)) return `not right: ${base.summary}`;
  const objection = objectionTo(base, [{ name: 'the captured code', figures: captured }]);
  return `the same compiler without a profile; ${objection ?? 'better than the captured code'}`;
}

function order(one: Candidate, other: Candidate): number {
  if (one.time_ratio !== null && other.time_ratio !== null) return one.time_ratio - other.time_ratio;
  for (const { of } of axes) {
    const difference = Number(of(one)) - Number(of(other));
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Selection without a replay: the fewest spilled dwords, weighted by the number of waves. A tie goes to the variant
 * that changes least of the profile, and last to base, because a profile helps with more than spills.
 */
function selected(candidates: readonly Candidate[]): string | null {
  if (candidates.length === 0 || candidates.some(({ score }) => score === null)) return null;
  const inOrder = [...candidates].sort((a, b) => Number(a.name === 'base') - Number(b.name === 'base'));
  return inOrder.reduce((best, one) => (Number(one.score) < Number(best.score) ? one : best)).name;
}

function whyKept(best: Candidate, references: readonly Reference[]): string {
  if (best.time_ratio !== null) {
    const base = references.find(({ name }) => name === 'base')?.figures.time_ratio ?? null;
    const captured = `${best.time_ratio.toFixed(3)}× the time of the captured code`;
    if (base === null) return `${buildWords(best.name)}: ${captured}`;
    return `${buildWords(best.name)}: ${(best.time_ratio / base).toFixed(3)}× the time of ${buildWords('base')}; ${captured}, of which base takes ${base.toFixed(3)}×`;
  }
  // The worth of the profile comes first: the rest of a gain is another compiler's.
  const parts = references.toReversed().map(({ name, figures }) => {
    const used = axes.filter(({ of }) => Number(of(best)) > 0 || Number(of(figures)) > 0);
    const figured = used.map((axis) => describe(axis.name, Number(axis.of(best)), Number(axis.of(figures))));
    return `against ${name === 'base' ? buildWords(name) : name} ${figured.join(', ')}`;
  });
  return `${buildWords(best.name)}: ${parts.join('; ')}`;
}

/** The reason for which nothing is kept, if it is the compiler rather than the profile. */
function whyNothing(candidates: readonly Candidate[], base: Candidate | undefined): string | undefined {
  if (base === undefined || candidates.some(isRight)) return undefined;
  return `clang's code is not right even without a profile (${base.summary}): where that is rounding, say so in "options" of kernel.json ("validate": { "rtol": … })`;
}

function describe(axis: string, mine: number, theirs: number): string {
  if (mine === theirs) return `${axis} ${formatCount(mine)} as before`;
  const change =
    theirs === 0 ? '' : ` (${mine < theirs ? '−' : '+'}${Math.abs((100 * (mine - theirs)) / theirs).toFixed(1)}%)`;
  return `${axis} ${formatCount(mine)} instead of ${formatCount(theirs)}${change}`;
}
