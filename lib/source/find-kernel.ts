import { existsSync, readFileSync } from 'node:fs';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { compilerCandidates } from '../toolchain/find-compiler';
import { parseCompileArguments } from '../toolchain/compile-arguments';
import { defaultArchitecture, withArchitecture } from '../toolchain/default-architecture';
import { readCompileDatabase } from '../toolchain/compile-database';
import { parseDemangledName, type DemangledName } from './demangled-name';
import { scanDependencies, type OpenedFile } from './dependencies';
import { findKernelDefinitions, type KernelDefinition } from './kernel-definitions';
import { bestDefinition, matchScore } from './match-definition';
import { sourcesBelow } from './project-files';
import type { SearchTrail } from './search-trail';
import { isNvcc, type TranslationUnit } from '../toolchain/translation-unit';
import type { Dialect } from '../toolchain/dialect';
import { defaultTranslationUnit } from '../toolchain/dialects';
import { openSourceParser, type SourceParser } from './source-parser';

export interface KernelQuery {
  /** Demangled. */
  name: string;
  dialect: Dialect;
  /** Of the captured code: `amdgcn-amd-amdhsa--gfx90a:xnack-`, `sm_90a`. */
  isa: string;
  /** The app's source folder. */
  source: string;
  /** Path of the compile database; undefined where the app has none. */
  compileCommands: string | undefined;
  /** Only consider the unit of this file. */
  translationUnit: string | undefined;
  /** Macros beside those of the build: `NAME`, `NAME=VALUE`. */
  define: readonly string[];
  /** Environment of the app's build. */
  environment: Readonly<Record<string, string>>;
  /** Whether a file, links followed, is the user's own rather than the toolchain's. */
  isProjectFile: (real: string, compiler: string) => boolean;
  /** Filled in as the search goes on. */
  trail: SearchTrail;
}

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

type FindDeps = Pick<Deps, 'run' | 'env' | 'report' | 'signal'>;

/** Units of a large project that are asked for their headers, at most. */
const maxScans = 500;

/** Worth a word to the one who waits. */
const manyUnits = 20;

/** Every translation unit that could define the kernel, the most likely first. */
export async function* kernelCandidates(query: KernelQuery, deps: FindDeps): AsyncGenerator<KernelCandidate> {
  const name = parseDemangledName(query.name);
  const files = new SourceFiles(name, await openSourceParser());
  const later: KernelCandidate[] = [];
  const last: KernelCandidate[] = [];
  /** Headers that are not the app's, and the first unit that opens each. */
  const foreign = new Map<string, string>();
  const all = byLikelihood(translationUnits(query, deps), files);
  const units = all.slice(0, maxScans).map((unit) => withDefines(unit, query.define));
  if (all.length > units.length) {
    deps.report.warn(
      `only the ${maxScans} likeliest of ${all.length} translation units are searched; name the right one with --translation-unit`,
    );
  }
  if (units.length > manyUnits) deps.report.info(`looking for ${name.base} in ${units.length} translation units`);
  const defaults = new Map<string, Promise<string | null>>();
  for (const listed of units) {
    const compiler = compilerOf(listed, query.dialect, deps);
    const unit = await withDefaults(listed, compiler, defaults, deps);
    const target = query.dialect.target(query.isa, unit);
    const scanned = await scanDependencies(unit, compiler, target, query.environment, deps);
    query.trail.units += 1;
    if (scanned.failure !== null) {
      query.trail.unreadable += 1;
      reportFailedScan(unit, scanned.failure, deps);
      continue;
    }
    const project = scanned.files.filter(({ real }) => query.isProjectFile(real, compiler));
    const [best] = project
      .map(({ real }) => ({ real, definition: files.bestIn(real), score: files.scoreOf(real) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
    const candidate = { unit, compiler, target, files: scanned.files };
    if (best) yield { ...candidate, kernelFile: best.real, definition: best.definition };
    else if (project.some(({ real }) => files.mentions(real)))
      later.push({ ...candidate, kernelFile: unit.file, definition: null });
    else if (project.some(({ real }) => files.pastesNames(real)))
      last.push({ ...candidate, kernelFile: unit.file, definition: null });
    for (const { real } of scanned.files)
      if (!query.isProjectFile(real, compiler) && !foreign.has(real)) foreign.set(real, unit.file);
  }
  yield* later;
  yield* last;
  noteSystemDefinition(query.trail, foreign, files);
}

/** Given last, so that it wins over the same macro of the build. */
function withDefines(unit: TranslationUnit, define: readonly string[]): TranslationUnit {
  if (define.length === 0) return unit;
  return { ...unit, args: [...unit.args, ...parseCompileArguments(define.map((macro) => `-D${macro}`))] };
}

/** Headers of the toolchain stay where they are, so a kernel in one has no source to edit; where it is can be said. */
function noteSystemDefinition(trail: SearchTrail, foreign: ReadonlyMap<string, string>, files: SourceFiles): void {
  for (const [file, unit] of foreign) {
    const definition = files.bestIn(file);
    if (definition) return trail.define({ file, line: definition.line, unit });
  }
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

function translationUnits(query: KernelQuery, deps: FindDeps): TranslationUnit[] {
  const units = allUnits(query, deps);
  if (query.translationUnit === undefined) return units;
  const chosen = units.filter(({ file }) => file === query.translationUnit);
  if (chosen.length > 0) return chosen;
  throw new KernloopError(
    'SOURCE_NOT_FOUND',
    `${query.translationUnit} is not compiled as ${query.dialect.label} by the app's build`,
    `translation units with device code: ${
      units
        .map(({ file }) => file)
        .slice(0, 10)
        .join(', ') || 'none'
    }`,
  );
}

function allUnits(query: KernelQuery, deps: FindDeps): TranslationUnit[] {
  if (query.compileCommands !== undefined && existsSync(query.compileCommands)) {
    return readCompileDatabase(query.compileCommands)
      .map((command) => query.dialect.read(command, query.environment))
      .filter((unit) => unit !== null);
  }
  deps.report.warn(
    `${query.compileCommands ? `${query.compileCommands} does not exist` : 'no compile database is named'}: ` +
      `the sources are compiled with plain ${query.dialect.compiler}; build with CMAKE_EXPORT_COMPILE_COMMANDS=ON and set "compileCommands" for the options of the app`,
  );
  return sourcesBelow(query.source, query.dialect.sources).map((file) =>
    defaultTranslationUnit(file, query.source, query.dialect, query.environment),
  );
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

/** Reads and parses each file at most once, and only where it mentions the kernel at all. */
class SourceFiles {
  private readonly texts = new Map<string, string>();
  private readonly parsed = new Map<string, KernelDefinition[]>();

  constructor(
    private readonly name: DemangledName,
    private readonly parser: SourceParser,
  ) {}

  mentions(path: string): boolean {
    return this.text(path).includes(this.name.base);
  }

  /** Whether a macro there makes kernels with names that are written nowhere: `name##_##type`. */
  pastesNames(path: string): boolean {
    return /^[ \t]*#[ \t]*define\b(?=(?:\\\r?\n|[^\n])*__global__)(?:\\\r?\n|[^\n])*##/m.test(this.text(path));
  }

  bestIn(path: string): KernelDefinition | null {
    return bestDefinition(this.definitions(path), this.name);
  }

  scoreOf(path: string): number {
    return Math.max(0, ...this.definitions(path).map((definition) => matchScore(definition, this.name)));
  }

  private definitions(path: string): KernelDefinition[] {
    let definitions = this.parsed.get(path);
    if (!definitions) {
      definitions =
        this.mentions(path) && this.text(path).includes('__global__')
          ? findKernelDefinitions(this.text(path), this.parser)
          : [];
      this.parsed.set(path, definitions);
    }
    return definitions;
  }

  private text(path: string): string {
    let text = this.texts.get(path);
    if (text === undefined) {
      text = existsSync(path) ? readFileSync(path, 'utf8') : '';
      this.texts.set(path, text);
    }
    return text;
  }
}
