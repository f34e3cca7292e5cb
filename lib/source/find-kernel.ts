import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { compilerCandidates } from '../toolchain/find-compiler';
import { parseCompileArguments } from '../toolchain/compile-arguments';
import { defaultArchitecture, withArchitecture } from '../toolchain/default-architecture';
import { inOrder } from '../support/in-order';
import { BuildDependencies } from './build-dependencies';
import { builtIn, type BuiltIn } from './built-objects';
import { parseDemangledName } from './demangled-name';
import { scanDependencies, type OpenedFile } from './dependencies';
import type { KernelDefinition } from './kernel-definitions';
import type { KernelQuery } from './kernel-query';
import { isNvcc, type TranslationUnit } from '../toolchain/translation-unit';
import type { Dialect } from '../toolchain/dialect';
import { SourceFiles } from './source-files';
import { openSourceParser } from './source-parser';
import { translationUnits } from './translation-units';

/** A translation unit that may have produced the kernel; only compiling it proves that it did. */
export interface KernelCandidate {
  unit: TranslationUnit;
  compiler: string;
  target: string;
  files: OpenedFile[];
  /** Absolute path of the file with the definition, or of the unit if no definition is visible (made by a macro). */
  kernelFile: string;
  definition: KernelDefinition | null;
}

type FindDeps = Pick<Deps, 'run' | 'env' | 'report' | 'signal' | 'clock'>;

/** Candidates whose units are equally certain, judged by what the build made of them. */
export interface CandidateGroup {
  /** True if the app's build got the kernel from these units. */
  isBuilt: boolean;
  candidates: AsyncGenerator<KernelCandidate>;
}

/** Maximum number of units scanned for their headers in a large project. */
const maxScans = 500;

/** Unit count from which a search takes long enough to report it. */
const manyUnits = 20;

/** Units that could define the kernel, the most likely first: those whose build output contains it, if known. */
export async function* candidateGroups(query: KernelQuery, deps: FindDeps): AsyncGenerator<CandidateGroup> {
  const files = new SourceFiles(parseDemangledName(query.name), await openSourceParser());
  const search = new KernelSearch(query, files, deps);
  const units = byLikelihood(translationUnits(query), files, query).map((unit) => withDefines(unit, query.define));
  const known = await builtIn(units, query.symbol, query.source);
  const those = (answer: BuiltIn): TranslationUnit[] => units.filter((_, index) => known[index] === answer);
  const built = those('holds');
  tellOf(built, units, query, deps);
  // Objects that are stale or await link-time optimisation may lack a kernel that their unit has.
  const rest = built.length > 0 ? those('unknown') : units;
  const unlikely = new Set(built.length > 0 ? [] : search.withoutKernel(rest));
  const groups = [
    { isBuilt: true, units: built },
    { isBuilt: false, units: rest.filter((unit) => !unlikely.has(unit)) },
    { isBuilt: false, units: built.length > 0 ? those('lacks') : [] },
    { isBuilt: false, units: [...unlikely] },
  ];
  for (const { isBuilt, units: likely } of groups)
    if (likely.length > 0) yield { isBuilt, candidates: search.candidatesOf(likely, isBuilt) };
  search.noteSystemDefinition();
}

/** Uses the base name, because names of instantiations are long. */
function tellOf(
  built: readonly TranslationUnit[],
  units: readonly TranslationUnit[],
  query: KernelQuery,
  deps: FindDeps,
) {
  const [one] = built;
  const { base } = parseDemangledName(query.name);
  if (one === undefined) {
    if (units.length > manyUnits) deps.report.info(`looking for ${base} in ${units.length} translation units`);
  } else if (units.length > 1) {
    const others = built.length > 1 ? ` and ${built.length - 1} more` : '';
    const file = relative(query.source, one.file);
    deps.report.info(`${base} was built from ${file}${others}, of ${units.length} translation units`);
  }
}

/** Scans units and remembers the results. */
class KernelSearch {
  /** Headers outside the app, each with the first unit that opens it. */
  private readonly foreign = new Map<string, string>();
  private readonly defaults = new Map<string, Promise<string | null>>();
  private scansLeft = maxScans;

  constructor(
    private readonly query: KernelQuery,
    private readonly files: SourceFiles,
    private readonly deps: FindDeps,
  ) {}

  async *candidatesOf(units: readonly TranslationUnit[], isBuilt: boolean): AsyncGenerator<KernelCandidate> {
    const later: KernelCandidate[] = [];
    const last: KernelCandidate[] = [];
    const chosen = this.withinBudget(units);
    let looked = 0;
    for await (const scanned of inOrder(chosen, availableParallelism(), (unit) => this.scan(unit))) {
      this.query.trail.units += 1;
      looked += 1;
      const isLast = looked === chosen.length;
      const seen = { what: 'looked into', done: looked, total: chosen.length, unit: 'translation units' };
      this.deps.report.progress?.(isLast ? null : seen);
      if (scanned.failure !== null) {
        this.query.trail.unreadable += 1;
        reportFailedScan(scanned.unit, scanned.failure, this.deps);
        continue;
      }
      const { unit, compiler, target } = scanned;
      const project = scanned.files.filter(({ real }) => this.query.isProjectFile(real, compiler));
      const candidate = { unit, compiler, target, files: scanned.files };
      const best = this.bestOf(project);
      if (best) {
        // The consumer may stop here, so the progress line ends first.
        this.deps.report.progress?.(null);
        yield { ...candidate, kernelFile: best.real, definition: best.definition };
      } else if (project.some(({ real }) => this.files.mentions(real)))
        later.push({ ...candidate, kernelFile: unit.file, definition: null });
      else if (isBuilt || project.some(({ real }) => this.files.pastesNames(real)))
        last.push({ ...candidate, kernelFile: unit.file, definition: null });
      for (const { real } of scanned.files)
        if (!this.query.isProjectFile(real, compiler) && !this.foreign.has(real)) this.foreign.set(real, unit.file);
    }
    yield* later;
    yield* last;
  }

  /** Units whose recorded inputs include no possible source of the kernel. */
  withoutKernel(units: readonly TranslationUnit[]): TranslationUnit[] {
    const known = new BuildDependencies();
    return units.filter((unit) => {
      const read = known.filesOf(unit);
      if (read === null) return false;
      const compiler = compilerOf(unit, this.query.dialect, this.deps);
      const own = read.filter((file) => this.query.isProjectFile(file, compiler));
      return !own.some((file) => this.files.mentions(file) || this.files.pastesNames(file));
    });
  }

  /** Records a definition in a toolchain header: such a kernel has no source to edit, but the message can name it. */
  noteSystemDefinition(): void {
    for (const [file, unit] of this.foreign) {
      const definition = this.files.bestIn(file);
      if (definition) return this.query.trail.define({ file, line: definition.line, unit });
    }
  }

  private withinBudget(units: readonly TranslationUnit[]): TranslationUnit[] {
    const chosen = units.slice(0, this.scansLeft);
    this.scansLeft -= chosen.length;
    if (chosen.length < units.length) {
      this.deps.report.warn(
        `only the ${maxScans} likeliest translation units are searched, ${units.length - chosen.length} are not; ` +
          'name the right one with --translation-unit',
      );
    }
    return chosen;
  }

  private async scan(listed: TranslationUnit) {
    const { dialect, isa, environment } = this.query;
    const compiler = compilerOf(listed, dialect, this.deps);
    const unit = await withDefaults(listed, compiler, this.defaults, this.deps);
    const target = dialect.target(isa, unit);
    return { unit, compiler, target, ...(await scanDependencies(unit, compiler, target, environment, this.deps)) };
  }

  private bestOf(project: readonly OpenedFile[]): { real: string; definition: KernelDefinition | null } | undefined {
    const [best] = project
      .map(({ real }) => ({ real, definition: this.files.bestIn(real), score: this.files.scoreOf(real) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
    return best;
  }
}

/** Appends the macros, so that they override the build's. */
function withDefines(unit: TranslationUnit, define: readonly string[]): TranslationUnit {
  if (define.length === 0) return unit;
  return { ...unit, args: [...unit.args, ...parseCompileArguments(define.map((macro) => `-D${macro}`))] };
}

/** nvcc's default architecture applies if the build names none. Without a compile database the build is unknown. */
async function withDefaults(
  unit: TranslationUnit,
  compiler: string,
  known: Map<string, Promise<string | null>>,
  deps: FindDeps,
): Promise<TranslationUnit> {
  if (!isNvcc(unit.compiler) || !unit.fromDatabase || unit.args.some(({ kind }) => kind === 'arch')) return unit;
  const asked = known.get(compiler) ?? defaultArchitecture(compiler, deps);
  known.set(compiler, asked);
  return { ...unit, args: withArchitecture(unit.args, await asked) };
}

/** Orders units that contain a matching definition first, those that are named before copies; the others may include one. */
function byLikelihood(
  units: readonly TranslationUnit[],
  files: SourceFiles,
  { isNamed }: Pick<KernelQuery, 'isNamed'>,
): TranslationUnit[] {
  return units
    .map((unit, index) => ({ unit, index, score: files.scoreOf(unit.file), named: isNamed(unit.file) }))
    .sort((a, b) => b.score - a.score || Number(b.named) - Number(a.named) || a.index - b.index)
    .map(({ unit }) => unit);
}

/** Compiler of the app's own build if it still exists, otherwise one with the same name. */
function compilerOf(unit: TranslationUnit, { install }: Dialect, deps: FindDeps): string {
  if (unit.compilerPath !== null && existsSync(unit.compilerPath)) return unit.compilerPath;
  const [path] = compilerCandidates(unit.compiler, deps.env);
  if (path !== undefined) return path;
  throw new KernloopError(
    'ENVIRONMENT_TOOL_MISSING',
    `the compiler ${unit.compiler}, which builds ${unit.file}, is not installed`,
    install,
  );
}

/** Warns only for units of a compile database: without one, plain hipcc often cannot read a source. */
function reportFailedScan(unit: TranslationUnit, failure: string, deps: FindDeps): void {
  const [firstLine] = failure.split('\n').filter((line) => line.includes('error'));
  const message = `${unit.file} could not be read by ${unit.compiler}: ${firstLine ?? failure.slice(0, 300)}`;
  if (unit.fromDatabase) deps.report.warn(message);
  else deps.report.info(message);
}
