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

/** A translation unit that may have produced the kernel; only compiling it tells. */
export interface KernelCandidate {
  unit: TranslationUnit;
  compiler: string;
  target: string;
  files: OpenedFile[];
  /** Absolute: the file that holds the definition, or the unit itself where no definition is visible (made by a macro). */
  kernelFile: string;
  definition: KernelDefinition | null;
}

type FindDeps = Pick<Deps, 'run' | 'env' | 'report' | 'signal' | 'clock'>;

/** Candidates of which as much is known from what the build made of their units. */
export interface CandidateGroup {
  /** Whether the app, as it was built, has the kernel from these units. */
  isBuilt: boolean;
  candidates: AsyncGenerator<KernelCandidate>;
}

/** Units of a large project that are asked for their headers, at most. */
const maxScans = 500;

/** Worth a word to the one who waits. */
const manyUnits = 20;

/** Every translation unit that could define the kernel, the most likely first: those out of which the build got it, if they are known. */
export async function* candidateGroups(query: KernelQuery, deps: FindDeps): AsyncGenerator<CandidateGroup> {
  const files = new SourceFiles(parseDemangledName(query.name), await openSourceParser());
  const search = new KernelSearch(query, files, deps);
  const units = byLikelihood(translationUnits(query, deps), files).map((unit) => withDefines(unit, query.define));
  const known = await builtIn(units, query.symbol, query.source);
  const those = (answer: BuiltIn): TranslationUnit[] => units.filter((_, index) => known[index] === answer);
  const built = those('holds');
  tellOf(built, units, query, deps);
  // Objects that are out of date, or that a link-time optimisation is still to make, may lack what the unit has.
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

/** Names of instantiations are long: the base says which is meant. */
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

/** Looks into units, and keeps what it saw of them. */
class KernelSearch {
  /** Headers that are not the app's, and the first unit that opens each. */
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
        // Nobody may ask for more.
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

  /** Units of which the build wrote down what they read, and that is nothing that could be the kernel's source. */
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

  /** Headers of the toolchain stay where they are, so a kernel in one has no source to edit; where it is can be said. */
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

/** Given last, so that it wins over the same macro of the build. */
function withDefines(unit: TranslationUnit, define: readonly string[]): TranslationUnit {
  if (define.length === 0) return unit;
  return { ...unit, args: [...unit.args, ...parseCompileArguments(define.map((macro) => `-D${macro}`))] };
}

/** A build that names no architecture leaves it to its nvcc. Without a compile database nothing is known of the build. */
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

/** Units that hold a fitting definition themselves first; the rest may include it. */
function byLikelihood(units: readonly TranslationUnit[], files: SourceFiles): TranslationUnit[] {
  return units
    .map((unit, index) => ({ unit, index, score: files.scoreOf(unit.file) }))
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .map(({ unit }) => unit);
}

/** The compiler of the app's own build where it still exists, else one of its name. */
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

/** Without a compile database a source that plain hipcc cannot read is no surprise. */
function reportFailedScan(unit: TranslationUnit, failure: string, deps: FindDeps): void {
  const [firstLine] = failure.split('\n').filter((line) => line.includes('error'));
  const message = `${unit.file} could not be read by ${unit.compiler}: ${firstLine ?? failure.slice(0, 300)}`;
  if (unit.fromDatabase) deps.report.warn(message);
  else deps.report.info(message);
}
