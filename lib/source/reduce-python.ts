import type { PythonImport } from './python-names';
import type { PythonModule, PythonStatement } from './python-module';

/** A module of the app that contributes to a kernel. */
export interface AppModule {
  /** Module name, such as `rows.math`; `__main__` for a program. */
  name: string;
  /** Package that relative imports start from. */
  package: string | null;
  parsed: PythonModule;
}

/** Part of a module that a reproducer contains. */
export interface ReducedModule {
  name: string;
  /** Statements in module order, each with the imported names that are needed. */
  statements: { statement: PythonStatement; imports: PythonImport[] }[];
  /** Names given by value, because no statement that could be copied defines them. */
  values: { name: string; text: string }[];
  /** Decorators that were dropped. */
  dropped: string[];
}

export interface Reduction {
  modules: ReducedModule[];
  /** Names that neither the sources nor the record define: `rows.math.TABLE`. */
  unexplained: string[];
}

export interface ReductionQuery {
  modules: ReadonlyMap<string, AppModule>;
  /** The kernel, and functions passed to it as constants. */
  roots: readonly { module: string; qualname: string }[];
  /** Expression for the value that a name had in the process; undefined if it had none. */
  valueOf: (module: string, name: string) => string | undefined;
  /** Qualified name of the nested function that a name refers to there. */
  nestedOf: (module: string, name: string) => string | undefined;
}

/** Reduces the app's modules to the kernel and the statements that it reads, transitively. */
export function reducePython(query: ReductionQuery): Reduction {
  const reducer = new Reducer(query);
  for (const { module, qualname } of query.roots) reducer.need(module, qualname);
  return reducer.result();
}

class Reducer {
  private readonly taken = new Map<string, Map<PythonStatement, Set<PythonImport>>>();
  private readonly values = new Map<string, Map<string, string>>();
  private readonly unexplained = new Set<string>();
  private readonly seen = new Set<string>();

  constructor(private readonly query: ReductionQuery) {}

  need(moduleName: string, name: string): void {
    const key = `${moduleName}\n${name}`;
    if (this.seen.has(key)) return;
    this.seen.add(key);
    const module = this.query.modules.get(moduleName);
    if (module === undefined) return;
    const nested = name.includes('.') ? module.parsed.nested(name) : null;
    if (nested !== null) return this.take(module, nested);
    const binding = module.parsed.statements.filter(({ binds }) => binds.includes(name));
    if (binding.length > 0) {
      const imports = binding.flatMap(({ imports: found }) => found.filter(({ bound }) => bound === name));
      if (imports.length > 0 && imports.every((each) => this.isForeign(module, each)) && this.give(module, name))
        return;
      for (const statement of binding) this.take(module, statement, name);
      return;
    }
    const inner = this.query.nestedOf(moduleName, name);
    if (inner !== undefined && inner !== name) return this.need(moduleName, inner);
    if (this.fromAll(module, name) || this.give(module, name)) return;
    if (!pythonBuiltins.has(name)) this.unexplained.add(`${moduleName}.${name}`);
  }

  private take(module: AppModule, statement: PythonStatement, name?: string): void {
    const taken = this.taken.get(module.name) ?? new Map<PythonStatement, Set<PythonImport>>();
    this.taken.set(module.name, taken);
    const known = taken.get(statement);
    const imports = known ?? new Set<PythonImport>();
    taken.set(statement, imports);
    for (const each of statement.imports) {
      // Imports inside a `try` or an `if` keep all their names.
      if (statement.isImport && name !== undefined && each.bound !== name) continue;
      imports.add(each);
      this.follow(module, each);
    }
    if (known === undefined) for (const read of statement.reads) this.need(module.name, read);
  }

  /** Follows an import into a module of the app; other modules are imported as they are. */
  private follow(module: AppModule, { level, module: from, name }: PythonImport): void {
    const target = absoluteName(module, level, from);
    if (name === null) return this.wholeModule(module, target);
    const submodule = target === '' ? name : `${target}.${name}`;
    if (this.query.modules.has(submodule)) return this.wholeModule(module, submodule);
    if (this.query.modules.has(target) && name !== '*') this.need(target, name);
  }

  /** For `import helpers`, takes the attributes that the importing module reads of it. */
  private wholeModule(user: AppModule, target: string): void {
    const found = this.query.modules.get(target);
    if (found === undefined) return;
    if (!this.taken.has(target)) this.taken.set(target, new Map());
    const wanted = attributesRead(user);
    for (const { binds } of found.parsed.statements)
      for (const name of binds) if (wanted.has(name)) this.need(target, name);
  }

  /** Finds names that `from helpers import *` binds; no statement lists them. */
  private fromAll(module: AppModule, name: string): boolean {
    for (const statement of module.parsed.statements) {
      for (const each of statement.imports) {
        if (each.name !== '*') continue;
        const target = this.query.modules.get(absoluteName(module, each.level, each.module));
        if (target === undefined || !target.parsed.statements.some(({ binds }) => binds.includes(name))) continue;
        this.take(module, statement);
        this.need(target.name, name);
        return true;
      }
    }
    return false;
  }

  /** Whether the import is neither the app's nor installed with Triton, so the process's value serves as well. */
  private isForeign(module: AppModule, { level, module: from, name }: PythonImport): boolean {
    const target = absoluteName(module, level, from);
    const top = target.split('.')[0] ?? '';
    const isOfApp = this.query.modules.has(target) || this.query.modules.has(`${target}.${name ?? ''}`);
    return !isOfApp && top !== 'triton' && top !== 'math';
  }

  private give(module: AppModule, name: string): boolean {
    const text = this.query.valueOf(module.name, name);
    if (text === undefined) return false;
    const values = this.values.get(module.name) ?? new Map<string, string>();
    this.values.set(module.name, values.set(name, text));
    return true;
  }

  result(): Reduction {
    const names = [...new Set([...this.taken.keys(), ...this.values.keys()])].sort();
    const modules = names.map((name) => {
      const taken = this.taken.get(name) ?? new Map<PythonStatement, Set<PythonImport>>();
      const future = this.statementsOf(name).filter(({ isFuture }) => isFuture);
      const statements = [...new Set([...future, ...taken.keys()])]
        .sort((a, b) => a.line - b.line)
        .map((statement) => ({ statement, imports: [...(taken.get(statement) ?? [])] }));
      return {
        name,
        statements,
        values: [...(this.values.get(name) ?? [])].map(([bound, text]) => ({ name: bound, text })).sort(byName),
        dropped: statements.flatMap(({ statement: { dropped } }) => dropped),
      };
    });
    return { modules, unexplained: [...this.unexplained].sort() };
  }

  private statementsOf(name: string): PythonStatement[] {
    return this.query.modules.get(name)?.parsed.statements ?? [];
  }
}

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);

/** In `p.q.r`, of package `p.q`, `from ..a import b` refers to `p.a`. */
function absoluteName({ package: own }: AppModule, level: number, module: string): string {
  if (level === 0) return module;
  const parts = (own ?? '').split('.').filter((part) => part !== '');
  const base = parts.slice(0, Math.max(0, parts.length - level + 1));
  return [...base, ...(module === '' ? [] : [module])].join('.');
}

/** Every name after a dot in the module: a superset of the attributes needed. */
function attributesRead({ parsed }: AppModule): Set<string> {
  const names = parsed.statements.flatMap(({ lines }) => [...lines.join('\n').matchAll(/\.\s*([A-Za-z_]\w*)/g)]);
  return new Set(names.map(([, name]) => name ?? ''));
}

/** Builtins that Triton lets kernels call, and those used in decorators and annotations. */
const pythonBuiltins: ReadonlySet<string> = new Set(
  (
    'print min max abs len range float int bool str list tuple dict set isinstance issubclass getattr hasattr type sum any all zip map ' +
    'enumerate sorted reversed round divmod pow repr super object property staticmethod classmethod None True False NotImplementedError ' +
    'ValueError TypeError AssertionError RuntimeError Exception __name__ __file__ __doc__'
  ).split(' '),
);
