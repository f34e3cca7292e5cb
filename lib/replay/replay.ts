import { resolve } from 'node:path';
import { withDevice } from '../device/lock';
import { describeFault } from '../capture/self-check';
import type { Deps } from '../support/deps';
import { KernloopError } from '../support/error';
import { exitCodes } from '../support/error-codes';
import { measure } from './measure';
import type { ReplayOptions } from './options';
import { replayOnce, type ReplayOutcome, type ReplayRequest } from './program';
import { launchOverrides } from './overrides';
import { printReplay } from './replay-text';
import type { ReplayResult } from './result';
import { describeCode, openSession, type ReplaySession } from './session';
import { baselineFirst, compareSpeed, iterationsOf, turnsFor, type Turn } from './turns';

/** Replays the captured dispatch, or a variant of it, and tells what it took. */
export async function replay(options: ReplayOptions, deps: Deps): Promise<ReplayResult> {
  const session = await openSession(options, deps);
  if (options.compare && session.code.kind === 'captured') {
    throw new KernloopError(
      'USAGE',
      `there is no variant to compare with: this is ${describeCode(session.code)}`,
      'edit and recompile, or name a code object with --variant',
    );
  }
  const run = new Replaying(session, options, deps);
  const result = await withDevice(session.device, deps, () => (options.compare ? run.compare() : run.measure()));
  printReplay(result, session, deps);
  return result;
}

class Replaying {
  private readonly iterations: number;
  private readonly cache: string | null;

  constructor(
    private readonly session: ReplaySession,
    private readonly options: ReplayOptions,
    private readonly deps: Deps,
  ) {
    const { measuring } = session.device;
    this.iterations = options.iterations ?? measuring.iterations;
    this.cache = options.cache ?? measuring.cache;
  }

  async measure(): Promise<ReplayResult> {
    return this.summarise(await this.variant(this.iterations), null, []);
  }

  async compare(): Promise<ReplayResult> {
    const turns: Turn[] = [];
    const count = turnsFor(this.session.device, this.iterations);
    for (let index = 0; index < count; index += 1) {
      const turn = await this.turn(index, iterationsOf(index, count, this.iterations));
      turns.push(turn);
      if (isStopped(turn.variant) || isStopped(turn.baseline)) break;
    }
    return this.summarise(
      together(turns.map(({ variant }) => variant)),
      together(turns.map(({ baseline }) => baseline)),
      turns,
    );
  }

  private async turn(index: number, iterations: number): Promise<Turn> {
    if (!baselineFirst(index)) {
      const variant = await this.variant(iterations);
      return { variant, baseline: await this.captured(iterations) };
    }
    const baseline = await this.captured(iterations);
    return { baseline, variant: await this.variant(iterations) };
  }

  private captured(iterations: number): Promise<ReplayOutcome> {
    const { codeObject: _codeObject, symbol: _symbol, ...request } = this.session.request;
    return this.once(request, iterations);
  }

  private variant(iterations: number): Promise<ReplayOutcome> {
    const { dump } = this.options;
    return this.once({ ...this.session.request, ...(dump === undefined ? {} : { dump: resolve(dump) }) }, iterations);
  }

  private once(request: ReplayRequest, iterations: number): Promise<ReplayOutcome> {
    const { warmup, seed, threads } = this.options;
    const { device } = this.session;
    // What this device has no such thing as is passed on only where it was asked for: the program then refuses it.
    const order = seed ?? (device.seeded ? 1 : undefined);
    return replayOnce(
      {
        ...request,
        ...launchOverrides(this.options, this.session.reproducer.config),
        iterations,
        warmup: warmup ?? device.measuring.warmup,
        ...(this.cache === null ? {} : { cache: this.cache }),
        ...(order === undefined ? {} : { seed: order }),
        ...(threads === undefined ? {} : { threads }),
      },
      device,
      this.deps,
    );
  }

  private summarise(outcome: ReplayOutcome, baseline: ReplayOutcome | null, turns: readonly Turn[]): ReplayResult {
    const { device, capture, code } = this.session;
    const { iterations, faults, result, restored, overridden } = outcome;
    return {
      kernel: capture.kernel.name,
      code: describeCode(code),
      verdict: result.verdict === 'fault' || result.verdict === 'limit' ? result.verdict : 'ran',
      exitCode: isStopped(outcome) ? exitCodes.fault : exitCodes.pass,
      iterations: iterations.length,
      ...measure(device, outcome),
      cache: this.cache,
      fault: faults[0] ? describeFault(faults[0]) : null,
      restored,
      overridden,
      baseline: baseline && measure(device, baseline),
      speed: compareSpeed(device, turns),
    };
  }
}

/** The last outcome, with the iterations of all. */
function together(outcomes: readonly ReplayOutcome[]): ReplayOutcome {
  const last = outcomes.at(-1);
  if (!last) throw new Error('there is at least one turn');
  return { ...last, iterations: outcomes.flatMap(({ iterations }) => iterations) };
}

function isStopped({ result }: ReplayOutcome): boolean {
  return result.verdict === 'fault' || result.verdict === 'limit';
}
