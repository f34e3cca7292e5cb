import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { outsideFiles } from '../candidate/outside-files';
import { ownErrors } from '../candidate/own-errors';
import { scoreOf } from '../candidate/score';
import type { Score } from '../candidate/score-json';
import type { Deps } from '../deps/deps';
import { reproducerPaths } from '../reproducer/layout';
import { macrosOf, type Configuration } from '../reproducer/configuration';
import type { Code } from '../reproducer/reproducer';
import { asKernloopError, KernloopError } from '../support/error';
import { silentReporter } from '../support/report';
import { requireSameInApp } from '../recompile/same-in-app';
import { compileReproducer, type CompileResult } from '../toolchain/compile';
import { DriverSteps } from '../toolchain/driver-steps';
import type { CompileRequest } from '../toolchain/compile-request';
import { kernelResources } from '../toolchain/kernel-resources';
import { ownMacros as ownMacrosOf, withMacros } from '../toolchain/macros';
import { tritonFile } from '../archive/triton-json';
import { judge } from '../validate/validate';
import { changesIn } from '../validate/new-lines';
import { placeOfAccess } from '../validate/place';
import type { DispatchReport } from '../validate/report-json';
import type { Candidate } from './candidate-json';
import { diagnosticsIn } from './diagnostics';
import type { Judgement } from './judgement-json';
import type { InputsDraw } from './secret-inputs';
import { RunLimit, type Limits } from './limits';
import type { Subject } from './subject';
import { worstOf } from './worst';

/** Dependencies with which the programs that read a candidate run: they see its folder, the toolchain, and `beside`. */
export type Confine = (
  deps: Deps,
  folder: string,
  subject: Subject,
  limits: Pick<Limits, 'compile_seconds' | 'memory_bytes'>,
  beside?: readonly string[],
) => Deps;

export interface JudgeDeps {
  readonly deps: Deps;
  /** Null: compiled without a sandbox. */
  readonly confine: Confine | null;
  readonly limits: Limits;
  /** For work that other candidates share. */
  readonly limitsOfJudge: Limits;
  readonly onPhase: (phase: 'compiling' | 'judging') => void;
}

/** Verdict without what the queue adds. */
export type Judged = Omit<Judgement, 'schema' | 'id' | 'label' | 'from_cache' | 'judged_at' | 'durations_ms'> & {
  durations_ms: { compile: number; judge: number };
};

/** Judged candidate, and the files outside of it that it was compiled from, by digest. */
export interface Outcome {
  readonly judged: Judged;
  readonly read: Readonly<Record<string, string>>;
  /** False: another try may end otherwise. */
  readonly isLasting: boolean;
}

const mostRaces = 16;

/** Compiles a candidate in a folder of its own and judges it; nothing stays of the folder. */
export async function judgeCandidate(subject: Subject, candidate: Candidate, given: JudgeDeps): Promise<Outcome> {
  const { deps } = given;
  subject.requirePinned();
  const root = subject.snapshot.candidate(candidate.files);
  const drawn = subject.inputsOf(candidate);
  const clock = (): number => deps.clock.monotonicMs();
  const beganMs = clock();
  let compiledMs = beganMs;
  const tell = { output: '' };
  const run = new RunLimit(given.limits.run_seconds);
  const plain = (text: string): string => text.replaceAll(`${root}/`, '');
  const base = (): Judged => ({
    ...noVerdict(subject),
    diagnostics: diagnosticsIn(tell.output, root),
    durations_ms: { compile: compiledMs - beganMs, judge: Math.max(0, clock() - compiledMs) },
  });
  try {
    given.onPhase('compiling');
    const built = await compile(subject, candidate, root, given, tell);
    compiledMs = clock();
    given.onPhase('judging');
    const verdict = await judgeCode(subject, candidate, built, root, drawn, run.within(deps));
    subject.requirePinned();
    const { compiled, code } = built;
    const read = outsideFiles(subject.reproducer, compiled, subject.digestOf);
    return {
      judged: {
        ...base(),
        ...verdict,
        resources: await resourcesOf(code.path, subject, deps),
        decided_by: {
          ...subject.pinned,
          // A compiler does not tell all that it read (.incbin), and a candidate's Python tells what it likes.
          sources: subject.snapshot.digestsWith(candidate.files),
          outside: Object.fromEntries(Object.entries(read).filter(([path]) => !isAbsolute(path))),
          code_object: compiled.codeObjectSha256,
          configuration: code.configuration ?? null,
          secret_inputs: drawn && { commitment: drawn.commitment },
          sandboxed: given.confine !== null,
        },
      },
      read,
      isLasting: true,
    };
  } catch (error) {
    if (compiledMs === beganMs) compiledMs = clock();
    const known = asKernloopError(error);
    if (run.isExceeded && known.code !== 'INTERRUPTED')
      return { judged: { ...base(), verdict: 'limit', summary: run.words }, read: {}, isLasting: false };
    const verdict = ownErrors[known.code];
    // A compilation reveals what it read only if it succeeds: an edit of a header elsewhere may mend it.
    return {
      judged: { ...base(), verdict: verdict ?? 'error', summary: plain(known.what), error: known.code },
      read: {},
      isLasting: false,
    };
  } finally {
    subject.snapshot.removeCandidate(root);
  }
}

/** Faults are in the verdict, so what the programs print of them is not shown as well. */
const silent = ({ run, clock, env, signal, input, native }: Deps): Deps => ({
  ...{ run, clock, env, signal, input, native },
  report: silentReporter,
});

interface Built {
  readonly compiled: CompileResult;
  readonly code: Extract<Code, { kind: 'variant' }>;
}

async function compile(
  subject: Subject,
  { configuration: given, ...candidate }: Candidate,
  root: string,
  { deps, confine, limits, limitsOfJudge }: JudgeDeps,
  tell: { output: string },
): Promise<Built> {
  const { reproducer, recipe, overlay, compiler } = subject;
  /** For the reproducer's own sources. */
  const shared = (folder: string): Deps =>
    confine === null ? silent(deps) : confine(silent(deps), folder, subject, limitsOfJudge);
  const configuration = given ?? reproducer.config.configuration;
  if (configuration !== undefined && recipe.triton !== undefined) {
    throw new KernloopError(
      'ARGUMENT_VALUE',
      `${candidate.kernel ?? reproducer.config.name} is a Triton kernel, and takes no configuration`,
      'write the configuration into reproducer.py: CONSTEXPRS, OPTIONS and grid()',
    );
  }
  requireArgumentsOfApp(given, reproducer.config.configuration);
  const macros = macrosOf(configuration);
  const paths = reproducerPaths(root);
  mkdirSync(paths.build, { recursive: true });
  const output = paths.variant(recipe.language, reproducer.config.device.kind);
  const report = {
    ...silentReporter,
    output: (chunk: string) => (tell.output = (tell.output + chunk).slice(-mostOutput)),
  };
  const hearing: Deps = { ...silent(deps), report };
  const plain: CompileRequest = {
    ...{ reproducer: root, overlay, compiler, output, capture: factsOf(subject, paths.build) },
    limitSeconds: limits.compile_seconds,
    recipe: withMacros(recipe, macros),
    signature: recipe.signature,
    // Races and differences are told by source line; line tables change no instruction.
    lineInfo: true,
    scratch: paths.build,
  };
  const ofReproducer = { ...plain, limitSeconds: limitsOfJudge.compile_seconds };
  const preamble = await subject.preambles.of(candidate, ofReproducer, shared);
  const request = { ...plain, preamble, steps: subject.steps === null ? undefined : new DriverSteps(subject.steps) };
  const beside = preamble === undefined ? [] : [dirname(preamble.file)];
  const confined = confine === null ? hearing : confine(hearing, root, subject, limits, beside);
  const compiled = await compileReproducer(request, confined);
  requireSameFiles(compiled, subject.snapshot.digestsWith(candidate.files));
  // The text of the app is there only now, so that no candidate can ask for it.
  symlinkSync(reproducerPaths(reproducer.root).pristine, paths.pristine);
  const isPlaceDependent = await requireSameInApp(request, compiled, confined);
  if (isPlaceDependent) await requireDependenceOfApp(subject, ofReproducer, shared);
  const { codeObjectSha256: sha256, launch } = compiled;
  const ownMacros = ownMacrosOf(recipe, macros);
  return {
    compiled,
    code: {
      kind: 'variant',
      path: output,
      shown: 'the candidate',
      sha256,
      launch,
      configuration,
      isPlaceDependent,
      ownMacros,
    },
  };
}

/**
 * Refuses other values for arguments than those that the app passes: a candidate could be right for one value alone, and
 * keep derived inputs from changing it. Arguments of kernel.json's own configuration may change.
 */
function requireArgumentsOfApp(given: Configuration | undefined, declared: Configuration | undefined): void {
  const allowed = Object.keys(declared?.arguments ?? {});
  const changed = Object.keys(given?.arguments ?? {}).find((name) => !allowed.includes(name));
  if (changed === undefined) return;
  throw new KernloopError(
    'ARGUMENT_VALUE',
    `its configuration changes the argument ${changed}, which the app passes`,
    'leave "arguments" out of the configuration; an owner of the reproducer may allow a name in that of kernel.json',
  );
}

/**
 * Refuses code that is another one where it is compiled elsewhere, unless that of the reproducer is as well: only some names
 * are tried, and nobody knows that of the app, so that such a candidate may be wrong there alone.
 */
async function requireDependenceOfApp(
  subject: Subject,
  request: CompileRequest,
  within: (folder: string) => Deps,
): Promise<void> {
  const isOfApp = await subject.isPlaceDependent(async () => {
    const root = subject.snapshot.candidate({});
    const { build } = reproducerPaths(root);
    mkdirSync(build, { recursive: true });
    try {
      const own = { ...request, reproducer: root, output: join(build, 'own.hsaco'), scratch: build };
      return await requireSameInApp(own, await compileReproducer(own, within(root)), within(root));
    } catch (error) {
      if (asKernloopError(error).code === 'SOURCE_DEPENDS_ON_REPRODUCER') return true;
      throw error;
    } finally {
      subject.snapshot.removeCandidate(root);
    }
  });
  if (isOfApp) return;
  throw new KernloopError(
    'SOURCE_DEPENDS_ON_REPRODUCER',
    'the code is another one where it is compiled in another folder or at another time, and that of the app is not',
    'take __FILE__, __builtin_FILE(), __DATE__ and the like out of the source',
  );
}

/** Refuses a candidate whose compilation, which may run its Python, changed a file: the report would name another text. */
function requireSameFiles({ sources }: CompileResult, given: Readonly<Record<string, string>>): void {
  const changed = Object.keys(sources).find((name) => sources[name] !== given[name]);
  if (changed === undefined) return;
  throw new KernloopError(
    'COMPILE_FAILED',
    `${changed} was ${given[changed] === undefined ? 'made' : 'changed'} by the compilation`,
    'send every file as it is compiled: what a candidate writes while it is compiled is not judged',
  );
}

/** Folder with what a compilation of Triton reads of the capture, which has none of its memory. */
function factsOf({ reproducer }: Subject, build: string): string {
  const facts = join(build, 'variant.facts');
  mkdirSync(facts);
  const triton = tritonFile(reproducer.capture);
  if (existsSync(triton)) copyFileSync(triton, tritonFile(facts));
  return facts;
}

/** Characters of a compiler's output that are read for diagnostics. */
const mostOutput = 1 << 20;

type Verdict = Pick<
  Judged,
  | 'verdict'
  | 'summary'
  | 'place'
  | 'compared_bytes'
  | 'differing_bytes'
  | 'worst'
  | 'races'
  | 'derived_inputs'
  | 'keeps_state'
  | 'score'
  | 'ratio'
>;

async function judgeCode(
  subject: Subject,
  candidate: Candidate,
  { code }: Built,
  root: string,
  drawn: InputsDraw | null,
  deps: Deps,
): Promise<Verdict> {
  const { judging, replaying, iterations, device } = subject;
  const { report, reports, sessions } = await judge(
    { ...judging, ...(drawn && { inputsSeed: drawn.seed, isSeedSecret: true }) },
    silent(deps),
    code,
  );
  const place = report.verdict === 'pass' ? null : placeOf(candidate, subject, reports, root);
  const inputs = reports.flatMap((one) => one.inputs ?? []);
  const sum = (name: 'judged' | 'dropped'): number => inputs.reduce((total, one) => total + one[name], 0);
  const base: Verdict = {
    verdict: report.verdict,
    // The address of a fault may be a value of a secret input.
    summary: isOfSecretInput(report) ? report.summary : (report.fault ?? report.summary),
    place,
    compared_bytes: report.compared_bytes,
    differing_bytes: report.differing_bytes,
    worst: worstOf(reports),
    races: reports
      .flatMap(({ races = [] }) => races.map(({ text }) => text.replaceAll(`${root}/`, '')))
      .slice(0, mostRaces),
    derived_inputs: inputs.length === 0 ? null : { judged: sum('judged'), dropped: sum('dropped') },
    keeps_state: reports.some(({ state }) => state !== null && state !== undefined),
    score: null,
    ratio: null,
  };
  if (report.verdict !== 'pass') return base;
  if (device.work === 'wave_instructions') {
    // The last replays of a variant that keeps state began with what others had left, so that they may copy results.
    const count = base.keeps_state
      ? (await scoreOf(code, replaying, iterations, device.work, silent(deps))).score.wave_instructions
      : total(reports.map(({ replays }) => replays.at(-1)?.wave_instructions));
    const captured = total(sessions.map(({ capture }) => capture.execution.wave_instructions));
    const score: Score = { wave_instructions: count, time_ns: null, time_ratio: null, time_ci95: null };
    return { ...base, score, ratio: count === null || captured === null ? null : count / captured };
  }
  const { score } = await scoreOf(code, replaying, iterations, device.work, silent(deps));
  return { ...base, score, ratio: score.time_ratio };
}

const isOfSecretInput = ({ inputs }: Pick<DispatchReport, 'inputs'>): boolean => (inputs?.failed ?? null) !== null;

/** Null if one is unknown: a sum without it would look better than it is. */
function total(counts: readonly (number | null | undefined)[]): number | null {
  return counts.reduce<number | null>(
    (sum, count) => (sum === null || count === null || count === undefined ? null : sum + count),
    0,
  );
}

/** First access that is wrong by itself, or else the first line that the candidate changes. */
function placeOf(
  { files }: Candidate,
  { snapshot }: Subject,
  reports: readonly DispatchReport[],
  root: string,
): string | null {
  const wrong = placeOfAccess(reports, root);
  if (wrong) return `${wrong.file}:${wrong.line}`;
  const changed = Object.entries(files).flatMap(([name, text]) =>
    name in snapshot.digests ? (changesIn(snapshot.read(name), text) ?? []).map((line) => `${name}:${line}`) : [],
  );
  return changed[0] ?? null;
}

async function resourcesOf(path: string, { recipe }: Subject, deps: Deps): Promise<Judged['resources']> {
  const resources = existsSync(path) ? await kernelResources(readFileSync(path), recipe.symbol, deps) : null;
  return (
    resources && {
      vector_registers: resources.vectorRegisters,
      scalar_registers: resources.scalarRegisters,
      spilled_vector: resources.spilled?.vector ?? null,
      private_bytes: resources.privateBytes,
      static_shared: resources.staticShared,
    }
  );
}

export const noVerdict = ({ name }: Pick<Subject, 'name'>): Judged => ({
  kernel: name,
  verdict: 'error',
  summary: '',
  error: null,
  place: null,
  diagnostics: [],
  compared_bytes: 0,
  differing_bytes: 0,
  worst: [],
  races: [],
  derived_inputs: null,
  keeps_state: false,
  score: null,
  ratio: null,
  resources: null,
  decided_by: null,
  durations_ms: { compile: 0, judge: 0 },
});
