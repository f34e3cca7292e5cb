import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { codeObjects } from '../recompile/current-variant';
import { notSources } from '../stage/writes';
import { sha256, sha256OfFile } from '../support/files';
import { kernelFile } from '../support/project-file-names';
import { readRegularFile } from '../support/regular-file';

/** Copy of the compiled files at the start: an edit meanwhile must not reach only some candidates. */
export class Snapshot {
  /** Absolute path; removed with its content. */
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'kernloop-candidates-')));
  readonly root: string;
  /** Digests by name in the reproducer. */
  readonly digests: Readonly<Record<string, string>>;
  /** Numbers of the copies that are there. */
  private readonly made = new Set<number>();

  constructor(readonly reproducer: string) {
    this.root = join(this.folder, 'reproducer');
    mkdirSync(this.root);
    for (const name of compiledIn(reproducer))
      cpSync(join(reproducer, name), join(this.root, name), { recursive: true, dereference: true });
    this.digests = Object.fromEntries(filesIn(this.root).map((name) => [name, sha256OfFile(join(this.root, name))]));
  }

  read(name: string): string {
    return readRegularFile(join(this.root, name), 'utf8');
  }

  /**
   * Makes a copy with some files replaced, from which a candidate is compiled. Its path may be that of one that was
   * removed: what a compiler's driver answers depends on the path, and is known then.
   */
  candidate(files: Readonly<Record<string, string>>): string {
    let number = 1;
    while (this.made.has(number)) number += 1;
    this.made.add(number);
    const root = this.rootOf(number);
    cpSync(this.root, root, { recursive: true });
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    return root;
  }

  /** Removes a copy. One that cannot be removed keeps its path to itself. */
  removeCandidate(root: string): void {
    rmSync(root, { recursive: true, force: true });
    for (const number of this.made) if (this.rootOf(number) === root) this.made.delete(number);
  }

  private rootOf(number: number): string {
    return join(this.folder, `candidate-${number}`);
  }

  digestsWith(files: Readonly<Record<string, string>>): Record<string, string> {
    const own = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, sha256(text)]));
    return { ...this.digests, ...own };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function compiledIn(root: string): string[] {
  return readdirSync(root).filter(
    (name) =>
      !notSources.has(name) &&
      name !== kernelFile &&
      !codeObjects.test(name) &&
      !name.includes('.partial-') &&
      name !== '__pycache__',
  );
}

function filesIn(root: string): string[] {
  return readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}
