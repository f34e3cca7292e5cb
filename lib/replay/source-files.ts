import { existsSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { readJson } from '../support/schema';
import { reproducerPaths } from '../reproducer/layout';
import { recipeSchema } from '../toolchain/recipe';
import type { Reproducer } from '../reproducer/reproducer';
import { readRegularFile } from '../support/regular-file';

const maxFileBytes = 8 << 20;
const maxShownCharacters = 96;

/** Source files that a code object of a reproducer names: their display names and their lines. */
export class SourceFiles {
  private readonly contents = new Map<string, string[] | null>();
  /** File below deps/ that the edited file replaces, and the edited file. */
  private readonly standIn: { for: string; file: string } | null;

  constructor(private readonly reproducer: Pick<Reproducer, 'root' | 'workspaceRoot' | 'config' | 'files'>) {
    this.standIn = standInOf(reproducer);
  }

  /** Display path: relative to the reproducer if it is inside. */
  shown(path: string): string {
    // Recompiled code names the reproducer's folder ".".
    const absolute = isAbsolute(path) ? path : resolve(this.reproducer.root, path);
    const inside = relative(this.reproducer.root, absolute);
    if (inside.startsWith('..')) return path;
    return inside === this.standIn?.for ? this.standIn.file : inside;
  }

  /** Line with its indentation. */
  whole(shown: string, line: number): string | null {
    return this.line(shown, line) === null ? null : (this.contents.get(shown)?.[line - 1] ?? null);
  }

  /** Null if the file is missing or outside the workspace: code objects are untrusted and may name any file. */
  line(shown: string, line: number): string | null {
    if (!this.contents.has(shown)) this.contents.set(shown, this.read(resolve(this.reproducer.root, shown)));
    const text = this.contents.get(shown)?.[line - 1];
    if (text === undefined) return null;
    const clean = text.replaceAll(/\p{Cc}+/gu, ' ').trim();
    return clean.length > maxShownCharacters ? `${clean.slice(0, maxShownCharacters - 1)}…` : clean;
  }

  private read(path: string): string[] | null {
    if (!existsSync(path)) return null;
    const inside = relative(realpathSync(this.reproducer.workspaceRoot), realpathSync(path));
    const file = statSync(path);
    if (inside.startsWith('..') || isAbsolute(inside) || !file.isFile() || file.size > maxFileBytes) return null;
    return readRegularFile(path, 'utf8').split('\n');
  }
}

function standInOf({
  root,
  config,
  files,
}: Pick<Reproducer, 'root' | 'config' | 'files'>): { for: string; file: string } | null {
  const { recipe: path } = reproducerPaths(root);
  if (config.language === 'none' || !existsSync(path)) return null;
  const { variant } = readJson(
    path,
    recipeSchema,
    'SOURCE_NOT_FOUND',
    'bring pristine/ back from version control',
    files,
  );
  return { for: join('deps', variant.stands_for), file: variant.file };
}
