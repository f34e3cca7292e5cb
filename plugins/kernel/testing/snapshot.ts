import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Content of folders at the time of the snapshot. */
export class Snapshot {
  /** Contents by path, a folder before its entries; null for a folder. */
  private readonly contents: ReadonlyMap<string, string | null>;

  constructor(
    private readonly folders: readonly string[],
    private readonly ignored: string,
  ) {
    const entries = this.entries();
    this.contents = new Map(
      entries.map(({ path, isFolder }) => [path, isFolder ? null : readFileSync(path, 'utf8')] as const),
    );
  }

  /** Unchanged entries are not touched. */
  restore(write: (path: string, content: string) => void): void {
    for (const { path, isLink } of this.entries())
      if (!this.contents.has(path) || isLink) rmSync(path, { recursive: true, force: true });
    for (const [path, content] of this.contents) {
      if (content === null) mkdirSync(path, { recursive: true });
      else if (!existsSync(path) || readFileSync(path, 'utf8') !== content) write(path, content);
    }
  }

  private entries(): { path: string; isFolder: boolean; isLink: boolean }[] {
    const entries = this.folders.flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }));
    return entries
      .map((entry) => ({
        path: join(entry.parentPath, entry.name),
        isFolder: entry.isDirectory(),
        isLink: entry.isSymbolicLink(),
      }))
      .filter(({ path }) => !path.startsWith(this.ignored))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}
