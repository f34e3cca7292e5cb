import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { areCurrent } from '../candidate/outside-files';
import type { Deps } from '../deps/deps';
import { KernloopError, messageOf, nearest, systemCode } from '../support/error';
import { throwIfInterrupted } from '../support/interrupted';
import { parseJson } from '../support/schema';
import { bounds, bytesOf, candidateSchema, type Candidate, type CandidateInput } from './candidate-json';
import { requireCandidateFiles } from './files';
import { Home, type Accepted } from './home';
import { judgeCandidate, noVerdict, type Confine, type Judged, type Outcome } from './judge-candidate';
import type { Judgement } from './judgement-json';
import type { JudgeSettings } from './options';
import { limitsOf, limitsOfJudge } from './limits';
import { Queue } from './queue';
import { mostQueued, Senders, unlimited } from './senders';
import { secretInputs } from './secret-inputs';
import { signingKey, type Sealed, type SigningKey } from './seal';
import { openSubject, type Subject } from './subject';

export type Phase = 'queued' | 'compiling' | 'judging' | 'done';

/** State of an accepted candidate. */
export interface Status {
  readonly id: string;
  readonly kernel: string;
  /** Sender. */
  readonly group: string;
  readonly phase: Phase;
  /** Null until it is done. */
  readonly sealed: Sealed | null;
}

interface Entry {
  readonly accepted: Accepted;
  readonly subject: Subject;
  readonly priority: number;
  readonly group: string;
  /** UTF-8 bytes of its files. */
  readonly bytes: number;
  readonly acceptedMs: number;
  readonly stop: AbortController;
  phase: Phase;
}

/** Time between two tries to write a verdict. */
const writeAgainMs = 1000;

/**
 * A resident scorer of candidates. What it accepts is on disk before it says so, and is judged after a restart if it was
 * not before; a crash, a hang or a fault of one candidate costs that candidate only.
 */
export class Judge {
  private readonly queue = new Queue<Entry>();
  private readonly entries = new Map<string, Entry>();
  private readonly listeners = new Set<(status: Status) => void>();
  /** Work on the same content, of which each is done once. */
  private readonly underWay = new Map<string, Promise<Outcome>>();
  private readonly working = new Set<Promise<void>>();
  private readonly closing = new AbortController();
  private nextLook: NodeJS.Timeout | undefined;

  private constructor(
    private readonly subjects: ReadonlyMap<string, Subject>,
    private readonly home: Home,
    private readonly key: SigningKey,
    private readonly settings: JudgeSettings,
    private readonly confine: Confine | null,
    private readonly deps: Deps,
    private readonly isLasting: boolean,
    readonly senders: Senders,
  ) {
    // One for each candidate that somebody waits for.
    setMaxListeners(0, this.closing.signal);
  }

  /**
   * `isLasting`: candidates that are accepted and not judged are left to the next judge of the home. A judge whose caller
   * waits for it leaves none, because a service of the home that starts meanwhile would judge them as well. `limits`: those
   * of each sender.
   */
  static async open(
    settings: JudgeSettings,
    confine: Confine | null,
    deps: Deps,
    { isLasting = true, limits = unlimited } = {},
  ): Promise<Judge> {
    const home = new Home(settings.home, deps.env);
    const key = signingKey(home.root);
    const drawInputs = secretInputs(home.root);
    const subjects = new Map<string, Subject>();
    try {
      for (const folder of settings.reproducer) {
        const subject = await openSubject(folder, settings, drawInputs, deps);
        if (subjects.has(subject.name)) {
          subject.close();
          throw new KernloopError('USAGE', `two of the reproducers are of ${subject.name}`, 'judge one of them');
        }
        subjects.set(subject.name, subject);
      }
    } catch (error) {
      for (const subject of subjects.values()) subject.close();
      throw error;
    }
    const senders = new Senders(limits, deps.clock);
    return new Judge(subjects, home, key, settings, confine, deps, isLasting, senders);
  }

  private get isClosed(): boolean {
    return this.closing.signal.aborted;
  }

  get publicKey(): string {
    return this.key.publicKey;
  }

  /** Path of the signed report on a candidate. */
  reportFile(id: string): string {
    return this.home.verdictFile(id);
  }

  /** Kernels that it judges, and the files that candidates may replace. */
  kernels(): { name: string; device: string; files: string[] }[] {
    return [...this.subjects.values()].map(({ name, device, snapshot }) => ({
      name,
      device: device.description.identity,
      files: Object.keys(snapshot.digests),
    }));
  }

  /** Its folders for temporary files, which `close` removes. */
  folders(): string[] {
    return [...this.subjects.values()].map(({ snapshot }) => snapshot.folder);
  }

  counts(): { queued: number; working: number } {
    return { queued: this.queue.length, working: this.working.size };
  }

  /** Takes up what an earlier judge of the same home accepted and did not judge. Returns how many. */
  resume(): number {
    const pending = this.home.pending((line) => this.deps.report.warn(line));
    for (const accepted of pending) {
      const subject = this.subjects.get(accepted.candidate.kernel ?? '');
      if (subject) this.enqueue(accepted, subject);
      else this.deps.report.warn(`${accepted.candidate.id} waits for a judge of ${accepted.candidate.kernel ?? '?'}`);
    }
    this.pump();
    return pending.length;
  }

  /** Accepts a candidate; the same one under the same id is accepted once, even if it is judged already. */
  submit(input: CandidateInput, group = ''): Status {
    if (this.isClosed) throw judgeClosed();
    const text = JSON.stringify(input);
    if (Buffer.byteLength(text) > bounds.jsonBytes) {
      throw new KernloopError(
        'CANDIDATE_REFUSED',
        `it has more than ${bounds.jsonBytes} bytes as JSON`,
        'send only the files that differ from the reproducer',
      );
    }
    const given = parseJson('the candidate', text, candidateSchema);
    const subject = this.subjectOf(given);
    requireCandidateFiles(given, subject.snapshot.root);
    limitsOf(given, this.settings);
    const id = given.id ?? randomBytes(9).toString('hex');
    const candidate = { ...given, id, kernel: subject.name };
    const before = this.status(id);
    if (before !== null) {
      if (this.home.isSame({ candidate, group })) return before;
      throw new KernloopError(
        'CANDIDATE_ID_TAKEN',
        `another candidate has the id ${id}`,
        'leave the id out, and the judge chooses one',
      );
    }
    if (this.queue.length >= mostQueued) {
      throw new KernloopError(
        'JUDGE_FULL',
        `${mostQueued} candidates wait already`,
        'send it again when some are judged',
      );
    }
    const accepted = { candidate, group, acceptedAt: this.deps.clock.now().toISOString() };
    if (this.home.isAccepted(id)) {
      throw new KernloopError(
        'CANDIDATE_ID_TAKEN',
        `another judge of ${this.home.root} has accepted a candidate ${id}, and has not judged it yet`,
        'leave the id out, or name another home',
      );
    }
    if (this.isLasting) this.home.accept(accepted);
    else this.home.announce(accepted);
    this.enqueue(accepted, subject);
    this.pump();
    return this.requireStatus(id);
  }

  /** Null for an id that was never accepted, or whose verdict is too old to be kept. */
  status(id: string): Status | null {
    const entry = this.entries.get(id);
    if (entry) return { id, kernel: entry.subject.name, group: entry.group, phase: entry.phase, sealed: null };
    const sealed = this.home.verdictOn(id);
    return sealed && { id, kernel: sealed.judgement.kernel, group: this.home.groupOf(id), phase: 'done', sealed };
  }

  /** The verdict, once there is one. `signal` ends the waiting, not the work; the end of the judge ends both. */
  async verdict(id: string, signal?: AbortSignal): Promise<Sealed> {
    const now = this.requireStatus(id);
    if (now.sealed) return now.sealed;
    return await new Promise((resolve, reject) => {
      const end = (): void => {
        unsubscribe();
        signal?.removeEventListener('abort', stop);
        this.closing.signal.removeEventListener('abort', closed);
      };
      const unsubscribe = this.subscribe((status) => {
        if (status.id !== id || status.sealed === null) return;
        end();
        resolve(status.sealed);
      });
      const stop = (): void => {
        end();
        reject(signal?.reason instanceof Error ? signal.reason : new Error(String(signal?.reason)));
      };
      const closed = (): void => {
        end();
        reject(judgeClosed());
      };
      signal?.addEventListener('abort', stop);
      this.closing.signal.addEventListener('abort', closed);
    });
  }

  /** Ends the work on a candidate, whose verdict is "cancelled". One that is done keeps its verdict. */
  cancel(id: string): Status {
    const entry = this.entries.get(id);
    if (!entry) return this.requireStatus(id);
    entry.stop.abort('cancel');
    if (this.queue.remove(entry))
      void this.written(entry, () => this.conclude(entry, cancelled(entry.subject), false, 0));
    return this.requireStatus(id);
  }

  /** Calls `listener` at every change of a phase. Returns how to end that. */
  subscribe(listener: (status: Status) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Stops the work; accepted candidates without a verdict stay for the next judge of this home. */
  async close(): Promise<void> {
    this.closing.abort();
    clearTimeout(this.nextLook);
    for (const entry of this.entries.values()) entry.stop.abort('close');
    await Promise.allSettled(this.working);
    for (const subject of this.subjects.values()) subject.close();
  }

  private subjectOf({ kernel }: Candidate): Subject {
    const names = [...this.subjects.keys()];
    const [only] = names;
    const subject = this.subjects.get(kernel ?? (names.length === 1 ? (only ?? '') : ''));
    if (subject) return subject;
    const close = kernel === undefined ? undefined : nearest(kernel, names, 1)[0];
    throw new KernloopError(
      'KERNEL_UNKNOWN',
      kernel === undefined
        ? 'the candidate does not say of which kernel it is a variant'
        : `no kernel ${kernel} is judged here`,
      close === undefined ? `judged here are ${names.join(', ')}` : `did you mean ${close}?`,
    );
  }

  private requireStatus(id: string): Status {
    const status = this.status(id);
    if (status) return status;
    throw new KernloopError(
      'CANDIDATE_UNKNOWN',
      `no candidate ${id} was accepted here`,
      'submit it, or look at its id',
    );
  }

  private enqueue(accepted: Accepted, subject: Subject): void {
    const entry: Entry = {
      ...{ accepted, subject, priority: accepted.candidate.priority, group: accepted.group },
      bytes: bytesOf(accepted.candidate),
      acceptedMs: this.deps.clock.monotonicMs(),
      stop: new AbortController(),
      phase: 'queued',
    };
    this.entries.set(accepted.candidate.id, entry);
    this.senders.add(entry.group, entry.bytes);
    this.queue.push(entry);
  }

  private pump(): void {
    const jobs = this.settings.jobs ?? cpus().length;
    while (!this.isClosed && this.working.size < jobs) {
      const entry = this.queue.take((group) => this.senders.heldMs(group) === 0);
      if (!entry) return this.lookAgain();
      const work = this.work(entry).finally(() => {
        this.working.delete(work);
        this.pump();
      });
      this.working.add(work);
    }
  }

  /** Everything that waits is of senders that took their CPU time. */
  private lookAgain(): void {
    clearTimeout(this.nextLook);
    if (this.queue.length === 0) return;
    const soonest = Math.min(...[...this.queue.groups()].map((group) => this.senders.heldMs(group)));
    this.nextLook = setTimeout(() => this.pump(), soonest);
  }

  private async work(entry: Entry): Promise<void> {
    const waited = this.deps.clock.monotonicMs() - entry.acceptedMs;
    const { candidate } = entry.accepted;
    const key = entry.subject.keyOf(candidate);
    const known = this.settings.fresh ? null : this.home.known(key);
    try {
      entry.subject.requirePinned();
      if (known && areCurrent(known.read, entry.subject.reproducer.root))
        return await this.written(entry, () => this.conclude(entry, known.judged, true, waited));
      const outcome = await this.once(key, entry);
      // A judge that ends leaves the candidate to the next one.
      if (entry.stop.signal.aborted && entry.stop.signal.reason === 'close') return;
      if (this.deps.signal.aborted) return;
      const judged = entry.stop.signal.aborted ? cancelled(entry.subject) : outcome.judged;
      const isKnown = outcome.isLasting && !entry.stop.signal.aborted;
      await this.written(entry, () => {
        if (isKnown) this.home.remember(key, outcome);
        this.conclude(entry, judged, false, waited);
      });
    } catch (error) {
      const { code, what } = asError(error);
      const judged = { ...noVerdict(entry.subject), summary: what, error: code };
      await this.written(entry, () => this.conclude(entry, judged, false, waited));
    }
  }

  /**
   * Tries again while the disk takes no verdict: the judge would end otherwise. What a judge that ends did not write, the
   * next one of its home judges again.
   */
  private async written({ accepted }: Entry, write: () => void): Promise<void> {
    while (!this.isClosed) {
      try {
        return write();
      } catch (error) {
        if (error instanceof KernloopError || systemCode(error) === undefined) throw error;
        this.deps.report.warn(`the verdict on ${accepted.candidate.id} waits: ${messageOf(error)}`);
        await delay(writeAgainMs, undefined, { signal: this.closing.signal }).catch(() => undefined);
      }
    }
  }

  /** The same content is judged once at a time; whoever comes second gets what the first one gets. */
  private async once(key: string, entry: Entry): Promise<Outcome> {
    const before = this.underWay.get(key);
    if (before) {
      this.tell(entry, 'judging');
      const outcome = await before;
      if (outcome.isLasting) return outcome;
    }
    const { subject, accepted, stop } = entry;
    const work = judgeCandidate(subject, accepted.candidate, {
      deps: stoppable(this.deps, stop.signal, (cpuSeconds) => this.senders.charge(entry.group, cpuSeconds)),
      confine: this.confine,
      limits: limitsOf(accepted.candidate, this.settings),
      limitsOfJudge: limitsOfJudge(this.settings),
      onPhase: (phase) => this.tell(entry, phase),
    });
    this.underWay.set(key, work);
    try {
      return await work;
    } finally {
      if (this.underWay.get(key) === work) this.underWay.delete(key);
    }
  }

  private conclude(entry: Entry, judged: Judged, fromCache: boolean, waited: number): void {
    const { candidate } = entry.accepted;
    const judgement: Judgement = {
      schema: 'kernloop.judgement/1',
      ...judged,
      id: candidate.id,
      label: candidate.label ?? null,
      from_cache: fromCache,
      judged_at: this.deps.clock.now().toISOString(),
      durations_ms: { waited, ...judged.durations_ms },
    };
    this.home.keep(this.key.seal(judgement));
    if (this.entries.delete(candidate.id)) this.senders.remove(entry.group, entry.bytes);
    this.tell(entry, 'done');
  }

  private tell(entry: Entry, phase: Phase): void {
    entry.phase = phase;
    const { id } = entry.accepted.candidate;
    const sealed = phase === 'done' ? this.home.verdictOn(id) : null;
    const status = { id, kernel: entry.subject.name, group: entry.group, phase, sealed };
    for (const listener of [...this.listeners]) listener(status);
  }
}

const judgeClosed = (): KernloopError =>
  new KernloopError('JUDGE_CLOSED', 'the judge is about to end', 'send it to the next one');

const cancelled = (subject: Subject): Judged => ({ ...noVerdict(subject), verdict: 'cancelled', summary: 'cancelled' });

const asError = (error: unknown): { code: string; what: string } =>
  error instanceof KernloopError
    ? error
    : { code: 'INTERNAL_ERROR', what: error instanceof Error ? error.message : String(error) };

/** Programs that one signal ends, beside those of the whole process. `charge` is told the CPU time of each. */
function stoppable(deps: Deps, signal: AbortSignal, charge: (cpuSeconds: number) => void): Deps {
  return {
    ...{ clock: deps.clock, env: deps.env, report: deps.report, input: deps.input, native: deps.native },
    signal: AbortSignal.any([deps.signal, signal]),
    run: (file, args, options) => {
      throwIfInterrupted(signal);
      const running = deps.run(file, args, options);
      const stop = (): void => running.kill('SIGKILL');
      signal.addEventListener('abort', stop, { once: true });
      const ended = (): void => signal.removeEventListener('abort', stop);
      running.result.then(({ cpuSeconds = 0 }) => {
        ended();
        charge(cpuSeconds);
      }, ended);
      return running;
    },
  };
}
