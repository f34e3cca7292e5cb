import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { outsideFiles } from '../candidate/outside-files';
import { ownErrors } from '../candidate/own-errors';
import { scoreOf } from '../candidate/score';
import type { Snapshot } from '../candidate/snapshot';
import type { Deps } from '../deps/deps';
import { quiet } from '../deps/quiet';
import type { WorkUnit } from '../device/device';
import { variantExtension } from '../language/languages';
import type { Code, Reproducer } from '../reproducer/reproducer';
import { macrosOf } from '../reproducer/configuration';
import { KernloopError } from '../support/error';
import { silentReporter } from '../support/report';
import { compileReproducer, type CompileResult } from '../toolchain/compile';
import type { Compiler } from '../toolchain/find-compiler';
import { kernelCodeDigest } from '../toolchain/compared-code';
import { describeCode } from '../toolchain/described-code';
import { withMacros } from '../toolchain/macros';
import type { Overlay } from '../toolchain/overlay';
import type { Recipe } from '../toolchain/recipe';
import { judge } from '../validate/validate';
import { validateOptionsSchema } from '../validate/options';
import type { DispatchReport } from '../validate/report-json';
import type { Outcome } from './cache';
import type { TuneOptions } from './options';
import type { Variation } from './subject';

/** State that all candidates of a search share. */
export interface Search {
  reproducer: Reproducer;
  recipe: Recipe;
  overlay: Overlay;
  compiler: Compiler;
  snapshot: Snapshot;
  options: TuneOptions;
  /** Options of validate and of replay. */
  judging: object;
  replaying: object;
  work: WorkUnit;
  /** Throws if the files that decide the judging have changed since the search began. */
  requireUnchanged: () => void;
}

export interface Plan {
  key: string;
  variation: Variation;
}

/** Code to judge, or the outcome that ended the build. */
export type Built =
  | { plan: Plan; code: Code; compiled: CompileResult; kernelCode: string | null; read: Outcome['read'] }
  | { plan: Plan; outcome: Outcome };

export const jobsOf = ({ jobs }: TuneOptions): number => jobs ?? Math.max(1, cpus().length);

export async function build(search: Search, plan: Plan, deps: Deps): Promise<Built> {
  const { snapshot, recipe, overlay, compiler, options, reproducer } = search;
  const { variation } = plan;
  const root = snapshot.candidate(variation.files);
  const extension = variantExtension(recipe.language, reproducer.config.device.kind);
  const output = join(root, `candidate.${extension}`);
  try {
    const compiled = await compileReproducer(
      {
        ...{ reproducer: root, overlay, compiler, output, capture: reproducer.capture },
        recipe: withMacros(recipe, macrosOf(variation.configuration)),
        signature: recipe.signature,
        limitSeconds: options.compileLimitSeconds,
      },
      // Hides compiler output, because many candidates may fail; the table has the first error of each.
      { ...quiet(deps), report: silentReporter },
    );
    const { codeObjectSha256: sha256, launch } = compiled;
    const { configuration } = variation;
    const code: Code = { kind: 'variant', path: output, shown: 'a candidate', sha256, launch, configuration };
    // Digests are taken now, so that an edit during judging is not taken for what was compiled.
    const described = await describeCode(readFileSync(output), deps);
    const kernelCode = kernelCodeDigest(reproducer.config.symbol, described);
    return { plan, code, compiled, kernelCode, read: outsideFiles(reproducer, compiled) };
  } catch (error) {
    const outcome = outcomeOf(plan, error);
    // The folder of the candidate is removed. Its files are those of the reproducer.
    return { plan, outcome: { ...outcome, reason: outcome.reason.replaceAll(`${root}/`, '') } };
  }
}

/** Judges against the app's result and scores right candidates. `inputs` overrides the number of derived ones. */
export async function evaluate(
  search: Search,
  { plan, code, compiled, kernelCode, read }: Extract<Built, { code: Code }>,
  deps: Deps,
  inputs?: number,
): Promise<Outcome> {
  const { judging, replaying, options, work } = search;
  const digests = { code_object_sha256: compiled.codeObjectSha256, kernel_code_sha256: kernelCode, read };
  const base: Outcome = { ...emptyOutcome(plan), ...digests };
  try {
    const { report, reports } = await judge(
      validateOptionsSchema.parse({ ...judging, ...(inputs === undefined ? {} : { inputs }) }),
      quiet(deps),
      code,
    );
    base.inputs = inputsOf(reports);
    if (report.verdict !== 'pass') {
      const { usual_tolerance: usual } = report;
      return {
        ...base,
        status: report.verdict,
        reason: report.fault ?? report.summary,
        usual: usual ? { ulp: usual.ulp, atol: usual.atol } : null,
      };
    }
    const { score, capturedNs } = await scoreOf(code, replaying, options.iterations, work, quiet(deps));
    return { ...base, status: 'pass', reason: report.summary, score, captured_ns: capturedNs };
  } catch (error) {
    return { ...outcomeOf(plan, error), ...digests };
  }
}

/** Errors of a single configuration are its outcome; every other error ends the search. */
function outcomeOf(plan: Plan, error: unknown): Outcome {
  const status = error instanceof KernloopError ? ownErrors[error.code] : undefined;
  if (!(error instanceof KernloopError) || status === undefined) throw error;
  return { ...emptyOutcome(plan), status, reason: `${error.code}: ${error.what}` };
}

const emptyOutcome = ({ key }: Plan): Outcome => ({
  schema: 'kernloop.tune-candidate/1',
  key,
  status: 'fail',
  reason: '',
  score: null,
  captured_ns: null,
  code_object_sha256: null,
  kernel_code_sha256: null,
  usual: null,
  inputs: null,
  read: {},
});

function inputsOf(reports: readonly Pick<DispatchReport, 'inputs'>[]): Outcome['inputs'] {
  const all = reports.flatMap(({ inputs }) => inputs ?? []);
  if (all.length === 0) return null;
  const sum = (name: 'judged' | 'dropped'): number => all.reduce((total, inputs) => total + inputs[name], 0);
  return { judged: sum('judged'), dropped: sum('dropped') };
}
