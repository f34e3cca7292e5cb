import { mkdirSync } from 'node:fs';
import type { Deps } from '../deps/deps';
import { isBetter, orderOf, scoreOf } from '../candidate/score';
import type { Score } from '../candidate/score-json';
import { quiet } from '../deps/quiet';
import { KernloopError } from '../support/error';
import { isErrorCode } from '../support/error-codes';
import { inOrder } from '../support/in-order';
import { formatCount } from '../support/format';
import { tellingWhatIsKept, throwIfInterrupted } from '../support/interrupted';
import { toleranceWords } from '../validate/usual-tolerance';
import { CandidateCache, type Outcome } from './cache';
import { tunePaths } from './paths';
import { inputsForBest } from './best-inputs';
import type { Candidate } from './result';
import { describeParameters, describeScore } from './text';
import { build, evaluate, jobsOf, type Search } from './trial';
import type { Trial } from './trials';

/** A running search: recalls known outcomes, builds and judges the others, and picks the best. */
export class TuneRun {
  private readonly cache: CandidateCache;
  /** Candidates that pass on the captured input and fail on a derived one. */
  private readonly wrongForOthers: Trial[] = [];
  private isTooLong = false;

  constructor(
    private readonly search: Search,
    private readonly trials: readonly Trial[],
    private readonly deps: Deps,
    /** Keys of candidates that other jobs judged for this search. */
    private readonly judged: ReadonlySet<string> = new Set(),
  ) {
    const { root } = search.reproducer;
    const { candidates } = tunePaths(root);
    mkdirSync(candidates, { recursive: true });
    this.cache = new CandidateCache(candidates, root);
  }

  /** Compiles candidates in parallel; judges and measures them one at a time. */
  async all(): Promise<void> {
    const { search, deps } = this;
    if (!search.options.fresh) this.recall();
    const open = this.trials.filter(({ outcome }) => outcome === undefined);
    const done = this.trials.length - open.length;
    if (done > 0) deps.report.info(`${done} of ${this.trials.length} candidates are known from earlier runs`);
    let finished = done;
    let kept = done;
    const words = (): string =>
      `${formatCount(kept)} of ${formatCount(this.trials.length)} candidates are judged and kept`;
    await tellingWhatIsKept(words, async () => {
      const built = inOrder(open, jobsOf(search.options), async (trial) => ({
        trial,
        made: await build(search, trial, deps),
      }));
      for await (const { trial, made } of built) {
        throwIfInterrupted(deps.signal);
        const outcome = 'outcome' in made ? made.outcome : await evaluate(search, made, deps);
        // An interrupted replay must not be cached as a failed one.
        throwIfInterrupted(deps.signal);
        search.requireUnchanged();
        trial.outcome = outcome;
        // Does not cache failed compilations: the files outside that they read are unknown, and editing one may fix the
        // failure.
        if (!('outcome' in made)) {
          this.cache.store(outcome);
          kept += 1;
        }
        finished += 1;
        deps.report.info(
          `${String(finished).padStart(String(this.trials.length).length)}/${this.trials.length} ${describeTrial(trial)}: ${describeOutcome(outcome)}`,
        );
      }
    });
  }

  private recall(): void {
    for (const trial of this.trials) {
      const known = this.cache.find(trial.key);
      if (known === null) continue;
      trial.outcome = known;
      trial.fromCache = !this.judged.has(trial.key);
    }
  }

  async captured(): Promise<Score | null> {
    const { search, deps, trials } = this;
    if (search.work === 'wave_instructions') {
      return (await scoreOf({ kind: 'captured' }, search.replaying, undefined, search.work, quiet(deps))).score;
    }
    // The captured code was measured in turns with each candidate, so it has as many times.
    const times = trials.flatMap(({ outcome }) => outcome?.captured_ns ?? []).sort((a, b) => a - b);
    const median = times[Math.floor(times.length / 2)];
    return median === undefined ? null : { wave_instructions: null, time_ns: median, time_ratio: 1, time_ci95: null };
  }

  /**
   * Returns the best candidate that beats the source as it is. Cached outcomes, and all times, are built, judged and
   * measured again; if the result differs, the next candidate is tried.
   */
  async best(): Promise<Trial | null> {
    const base = this.trials.find(({ isBase }) => isBase);
    const checked = new Set<Trial>();
    for (;;) {
      const [first] = this.passing();
      if (!first) return null;
      for (const trial of first === base || !base?.outcome?.score ? [first] : [first, base]) {
        if (checked.has(trial) || !(trial.fromCache || this.search.work === 'duration_ns')) continue;
        checked.add(trial);
        await this.again(trial);
      }
      const [now] = this.passing();
      if (now !== first) continue;
      if (first === base) return null;
      const before = base?.outcome?.score ?? null;
      if (before !== null && !(first.outcome?.score && isBetter(first.outcome.score, before))) return null;
      if (await this.isRightForOthers(first, base)) return first;
    }
  }

  /** Whether the best is right for derived inputs too. A wrong one counts as failed, and the next one is tried. */
  private async isRightForOthers(best: Trial, base: Trial | undefined): Promise<boolean> {
    const { search, deps } = this;
    const counts = [best, base].map((trial) => trial?.outcome?.score?.wave_instructions ?? null);
    const longest = counts[0] === null ? null : Math.max(...counts.map((count) => count ?? 0));
    const inputs = inputsForBest(search.judging, search.options, longest);
    this.isTooLong = inputs === null;
    if (inputs === null || inputs === 0) return true;
    deps.report.info(`${describeTrial(best)}: judged by ${inputs} derived inputs as well`);
    const made = await build(search, best, deps);
    const outcome = 'outcome' in made ? made.outcome : await evaluate(search, made, deps, inputs);
    throwIfInterrupted(deps.signal);
    search.requireUnchanged();
    best.outcome = outcome;
    if (outcome.status === 'pass') return true;
    this.wrongForOthers.push(best);
    deps.report.warn(`${describeTrial(best)} is not taken: ${outcome.reason.split('\n')[0] ?? ''}`);
    return false;
  }

  private async again(trial: Trial): Promise<void> {
    const { search, deps } = this;
    deps.report.info(`once more: ${describeTrial(trial)}`);
    const made = await build(search, trial, deps);
    const outcome = 'outcome' in made ? made.outcome : await evaluate(search, made, deps);
    throwIfInterrupted(deps.signal);
    search.requireUnchanged();
    const before = trial.outcome;
    trial.outcome = outcome;
    if (isSame(before, outcome)) return;
    this.cache.drop(trial.key);
    this.deps.report.warn(
      `${describeTrial(trial)}: an earlier result said ${before ? describeOutcome(before) : 'nothing'}, and now it is ${describeOutcome(outcome)}`,
    );
    if (!('outcome' in made)) this.cache.store(outcome);
  }

  /** Passing candidates, best first; among equals the base comes first, the others as they were named. */
  private passing(): Trial[] {
    return this.trials
      .filter(({ outcome }) => outcome?.status === 'pass')
      .sort((a, b) => scoreNumber(a) - scoreNumber(b) || Number(b.isBase) - Number(a.isBase));
  }

  reason(best: Trial | null): string {
    const base = this.trials.find(({ isBase }) => isBase);
    const unjudged = this.noneJudged();
    if (unjudged) return unjudged.what;
    const passing = this.passing();
    if (passing.length === 0)
      return `none of ${this.trials.length} candidates passes${this.leftOut()}${this.tolerance()}`;
    const before = base?.outcome?.score;
    const [first] = passing;
    const left = this.leftOut();
    if (best?.outcome?.score) {
      const now = best.outcome.score;
      const compared = before
        ? `${ratioOf(now, before)?.toFixed(3) ?? '?'}× the base's ${describeScore(before)}`
        : `the source as it is does not pass (${base?.outcome?.reason ?? 'not judged'})`;
      return `best is ${describeParameters(best.parameters)} with ${describeScore(now)}${unitOf(now)}, ${compared}${this.inputWords(best.outcome)}${left}`;
    }
    return first?.isBase === true
      ? `no configuration is better than the source as it is${left}${this.tolerance()}`
      : `none is measurably better than the source as it is; the first, ${describeParameters(first?.parameters ?? {})}, is within the noise`;
  }

  /** The error of a search of which no configuration could be compiled and launched; undefined if one was judged. */
  noneJudged(): KernloopError | undefined {
    const asked = this.trials.filter(({ isAsked }) => isAsked);
    const unjudged = asked.filter(
      ({ outcome }) => outcome && ['not-compiled', 'not-launched'].includes(outcome.status),
    );
    const [first] = unjudged;
    if (first === undefined || unjudged.length < asked.length) return undefined;
    const reason = first.outcome?.reason ?? '';
    const [, code = '', why = reason] = /^([A-Z_]+): (.*)/s.exec(reason) ?? [];
    const which =
      asked.length === 1 ? '' : `none of ${formatCount(asked.length)} configurations could be judged; the first, `;
    return new KernloopError(
      isErrorCode(code) ? code : 'COMPILE_FAILED',
      `${which}${describeParameters(first.parameters)}: ${why}`,
      'correct the source so that it takes these values, or give others with --set',
    );
  }

  private inputWords({ inputs }: Outcome): string {
    if (inputs === null)
      return this.isTooLong
        ? '; judged on the captured input alone, since a replay is long (`--inputs 4` for more)'
        : '';
    if (inputs.judged === 0) return '; NOT judged on derived inputs: none could be derived';
    return `; judged on the captured input and ${formatCount(inputs.judged)} derived ${inputs.judged === 1 ? 'one' : 'ones'}`;
  }

  private leftOut(): string {
    if (this.wrongForOthers.length === 0) return '';
    const names = this.wrongForOthers.map(({ parameters }) => describeParameters(parameters));
    return `; not taken, since wrong for a derived input: ${names.join(', ')} (\`--inputs 0\` judges by the captured input alone)`;
  }

  /** Suggests tolerances: if a candidate changes the order of sums, the user must allow a difference. */
  private tolerance(): string {
    const options = this.trials.flatMap(({ outcome }) => (outcome?.usual ? [outcome.usual] : []));
    if (options.length === 0) return '';
    const [ulp, atol] = [Math.max(...options.map((each) => each.ulp)), Math.max(...options.map((each) => each.atol))];
    return `; ${options.length} that fail byte for byte are as close as rounding is: \`${toleranceWords({ ulp, atol })}\` accepts them`;
  }

  /** Parameters whose values all compile to the same code: nothing reads the name, or the compiler ignores it. */
  withoutEffect(kinds: Readonly<Record<string, string>>): string[] {
    const ofSource = Object.keys(kinds).filter((name) => kinds[name] !== 'launch' && kinds[name] !== 'argument');
    return ofSource.filter((name) => {
      const groups = new Map<string, (string | null | undefined)[]>();
      for (const { parameters, outcome } of this.trials) {
        const { [name]: _value, ...others } = parameters;
        const group = JSON.stringify(Object.entries(others).sort());
        groups.set(group, [
          ...(groups.get(group) ?? []),
          outcome && (outcome.kernel_code_sha256 ?? outcome.code_object_sha256),
        ]);
      }
      const several = [...groups.values()].filter((codes) => codes.length > 1);
      return several.length > 0 && several.every((codes) => codes[0] != null && new Set(codes).size === 1);
    });
  }

  candidates(): Candidate[] {
    const before = this.trials.find(({ isBase }) => isBase)?.outcome?.score ?? null;
    const passing = this.passing();
    const others = this.trials.filter((trial) => !passing.includes(trial));
    return [...passing, ...others].map(({ key, isBase, parameters, outcome, fromCache }) => ({
      ...{ key, is_base: isBase, parameters: { ...parameters }, from_cache: fromCache },
      status: outcome?.status ?? 'fail',
      reason: outcome?.reason ?? '',
      score: outcome?.score ?? null,
      ratio: outcome?.score && before ? ratioOf(outcome.score, before) : null,
      code_object_sha256: outcome?.code_object_sha256 ?? null,
    }));
  }
}

const scoreNumber = ({ outcome }: Trial): number =>
  outcome?.score ? orderOf(outcome.score) : Number.POSITIVE_INFINITY;

function ratioOf(one: Score, other: Score): number | null {
  const ratio = orderOf(one) / orderOf(other);
  return Number.isFinite(ratio) ? ratio : null;
}

/** Compares counts, which repeat; times vary, so only the status counts. */
function isSame(before: Outcome | undefined, now: Outcome): boolean {
  if (before?.status !== now.status) return false;
  return now.score?.wave_instructions == null || now.score.wave_instructions === before.score?.wave_instructions;
}

const unitOf = ({ wave_instructions: waveInstructions }: Score): string =>
  waveInstructions === null ? '' : ' wave-instructions';

const describeTrial = ({ isBase, parameters }: Trial): string =>
  [describeParameters(parameters), ...(isBase ? ['(the source as it is)'] : [])].join(' ').trim();

function describeOutcome({ status, score, reason }: Outcome): string {
  return score === null
    ? `${status}: ${reason.split('\n')[0] ?? ''}`
    : `${status}, ${describeScore(score)}${unitOf(score)}`;
}
