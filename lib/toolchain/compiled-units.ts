import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { isSettled, stateOf } from '../support/file-state';
import { sha256, sha256OfFile } from '../support/files';
import type { Compiler } from './find-compiler';
import type { Overlay } from './overlay';
import type { UnprovenRecipe } from './recipe';

/** Limits memory: code objects of large apps have megabytes. */
const mostUnits = 8;

/** Product of a unit: code of all its kernels, or the front end's output before any kernel is removed. */
type Made = 'code' | 'front end';

interface UnitRequest {
  reproducer: string;
  recipe: UnprovenRecipe;
  overlay: Overlay;
  compiler: Compiler;
  limitSeconds: number;
}

interface CompiledUnit {
  content: Buffer;
  /** Paths relative to the reproducer. */
  inside: string[];
  /** Files elsewhere, each with its state. */
  outside: Map<string, string>;
}

/**
 * Cache of clang's output for whole units: the kernels of a unit are proven one after the other from one compilation,
 * and each alone from one run of the front end. The key has the options, the names and contents of files in the
 * reproducer, and the state of every file elsewhere that was read. The code does not depend on the reproducer's path.
 */
export class CompiledUnits {
  private readonly known = new Map<string, CompiledUnit>();

  constructor(private readonly settled: (path: string) => boolean = isSettled) {}

  /** Like `compile`, which writes the output and returns every file that was opened. */
  async compile(
    request: UnitRequest,
    output: string,
    compile: () => Promise<string[]>,
    made: Made = 'code',
  ): Promise<string[]> {
    const { reproducer } = request;
    const key = keyOf(request, made);
    const unit = this.known.get(key);
    if (unit !== undefined && [...unit.outside].every(([path, state]) => existsSync(path) && stateOf(path) === state)) {
      writeFileSync(output, unit.content);
      return [...unit.inside.map((path) => join(reproducer, path)), ...unit.outside.keys()];
    }
    const opened = await compile();
    const names = opened.map((path) => [path, relative(reproducer, path)] as const);
    const outside = names.filter(([, name]) => name.startsWith('..') || isAbsolute(name)).map(([path]) => path);
    if (keyOf(request, made) !== key || !outside.every((path) => this.settled(path))) return opened;
    this.known.set(key, {
      content: readFileSync(output),
      inside: names.filter(([path]) => !outside.includes(path)).map(([, name]) => name),
      outside: new Map(outside.map((path) => [path, stateOf(path)])),
    });
    const [oldest] = this.known.keys();
    if (this.known.size > mostUnits && oldest !== undefined) this.known.delete(oldest);
    return opened;
  }
}

function keyOf({ reproducer, recipe, overlay, compiler, limitSeconds }: UnitRequest, made: Made): string {
  const { arguments: args, environment, target, language, main, variant, aliases } = recipe;
  const files = readdirSync(reproducer, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.partial-'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [relative(reproducer, path), sha256OfFile(path)]);
  const told = [made, compiler, args, environment, target, language, main, variant, aliases, overlay, limitSeconds];
  return sha256(JSON.stringify([told, files]));
}
