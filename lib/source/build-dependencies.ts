import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseMakeDependencies } from '../toolchain/make-dependencies';
import type { TranslationUnit } from '../toolchain/translation-unit';
import { readNinjaDeps, type NinjaDeps } from './ninja-deps';

/** Levels above a unit's working folder at which the build may have been started. */
const maxLevels = 4;
const maxBytes = 256 * 2 ** 20;

/** Records of the build about which files its compilations read: make's dependency files and ninja's log. */
export class BuildDependencies {
  private readonly logs = new Map<string, Map<string, NinjaDeps>>();
  private readonly changed = new Map<string, number | undefined>();

  /** Absolute paths of the files that a unit read; null if they are not recorded or one has changed since. */
  filesOf(unit: TranslationUnit): string[] | null {
    return this.fromFile(unit) ?? this.fromLog(unit);
  }

  private fromFile(unit: TranslationUnit): string[] | null {
    for (const path of dependencyFiles(unit)) {
      const stats = statSync(path, { throwIfNoEntry: false });
      if (!stats?.isFile() || stats.size > maxBytes) continue;
      const files = parseMakeDependencies(readFileSync(path, 'utf8')).map((file) => resolve(unit.directory, file));
      if (files.includes(unit.file) && this.areOlder(files, stats.mtimeMs)) return files;
    }
    return null;
  }

  private fromLog({ directory, output, file }: TranslationUnit): string[] | null {
    if (output === null) return null;
    let folder = directory;
    for (let level = 0; level < maxLevels; level += 1, folder = dirname(folder)) {
      const known = this.logIn(folder).get(relative(folder, output)) ?? this.logIn(folder).get(output);
      const files = known?.inputs.map((input) => resolve(folder, input));
      if (known && files?.includes(file) && this.areOlder(files, known.mtimeMs)) return files;
    }
    return null;
  }

  private logIn(folder: string): Map<string, NinjaDeps> {
    const known = this.logs.get(folder);
    if (known) return known;
    const path = join(folder, '.ninja_deps');
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? maxBytes + 1;
    const log = (size > maxBytes ? null : readNinjaDeps(readFileSync(path))) ?? new Map<string, NinjaDeps>();
    this.logs.set(folder, log);
    return log;
  }

  /** Units share headers, so each one's time is read once. */
  private areOlder(files: readonly string[], mtimeMs: number): boolean {
    return files.every((file) => {
      if (!this.changed.has(file)) this.changed.set(file, statSync(file, { throwIfNoEntry: false })?.mtimeMs);
      const changed = this.changed.get(file);
      // Compares whole milliseconds; file times have fractions.
      return changed !== undefined && Math.floor(changed) <= Math.floor(mtimeMs);
    });
  }
}

/** Dependency files: `x.o.d` and `x.d` beside the object, and the one that the command names. */
function dependencyFiles({ args, directory, output }: TranslationUnit): string[] {
  const named = args.filter(({ option }) => option === '-MF').map(({ value }) => resolve(directory, value ?? ''));
  const beside = output === null ? [] : [`${output}.d`, output.replace(/\.[^./]*$/, '.d')];
  return [...new Set([...named, ...beside])].filter((path) => existsSync(path));
}
