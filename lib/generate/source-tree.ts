import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { OpenedFile } from '../source/dependencies';
import { type SystemFolders } from '../toolchain/system-folders';
import { KernloopError } from '../support/error';
import { isInside } from '../support/files';

/** Folder below deps/ for headers from outside the workspace, with one numbered folder for each include directory. */
const externalFolder = '_external';

export interface SourceTreeOptions {
  /** The app's source folder. */
  source: string;
  workspaceRoot: string;
  /** Files that the translation unit opens. */
  files: readonly OpenedFile[];
  /** Absolute include directories of the unit. */
  includeDirs: readonly string[];
  system: SystemFolders;
}

export interface CarriedFile {
  /** Path below deps/. */
  path: string;
  /** Absolute path. */
  origin: string;
}

/**
 * Project files of a translation unit, laid out below `deps/` as in the app, so that relative includes still resolve.
 * The root is the deepest folder that contains the app's sources and all files of the workspace that the unit includes.
 */
export class SourceTree {
  readonly files: CarriedFile[] = [];
  /** Paths below deps/ that reach a carried file through a link of the app. */
  readonly aliases: Record<string, string> = {};
  /** Folders below deps/ that includes step through (`a/../x.h`) and that have no carried file. */
  readonly folders: string[] = [];
  private root: string;
  private readonly workspaceRoot: string;
  private readonly system: SystemFolders;
  /** Include directories outside the workspace, and those that files are included from. */
  private readonly externals: string[];
  private readonly usedExternals = new Set<number>();

  constructor({ source, workspaceRoot, files, includeDirs, system }: SourceTreeOptions) {
    this.system = system;
    this.root = realpathSync(source);
    this.workspaceRoot = realpathSync(workspaceRoot);
    const outside = includeDirs
      .map(realpathOfExisting)
      .filter((folder) => !this.isProject(folder) && !system.contain(folder));
    this.externals = [...new Set(outside)];
    const carried = files.filter(({ real }) => this.isCarried(real));
    for (const { real } of carried) this.widen(real);
    this.place(carried);
  }

  /** Path below deps/ of an absolute path of the app; null if it is not carried. */
  pathInDeps(path: string): string | null {
    const real = realpathOfExisting(path);
    if (isInside(this.root, real)) return relative(this.root, real);
    const index = this.externalIndex(real);
    if (index < 0 || !this.usedExternals.has(index)) return null;
    return join(externalFolder, String(index), relative(this.externals[index] ?? '', real));
  }

  /** Whether a path belongs to the toolchain or a package, which is the same on every machine. */
  isSystem(path: string): boolean {
    return !this.isCarried(realpathOfExisting(path));
  }

  /** Makes every path of the tree in the text relative to deps/; the rest of the workspace becomes `/workspace`. */
  withoutAbsolutePaths(text: string, depsPlaceholder: string): string {
    return replacePath(replacePath(text, this.root, depsPlaceholder), this.workspaceRoot, '/workspace');
  }

  private isProject(real: string): boolean {
    return isInside(this.root, real) || isInside(this.workspaceRoot, real);
  }

  private isCarried(real: string): boolean {
    return this.isProject(real) || !this.system.contain(real);
  }

  private externalIndex(real: string): number {
    let best = -1;
    this.externals.forEach((folder, index) => {
      if (isInside(folder, real) && folder.length > (this.externals[best] ?? '').length) best = index;
    });
    return best;
  }

  /** Includes like `../../common/x.h` need a root that contains both folders. */
  private widen(real: string): void {
    if (isInside(this.root, real)) return;
    const external = this.externalIndex(real);
    if (external >= 0) {
      this.usedExternals.add(external);
      return;
    }
    const shared = sharedFolder(this.root, real);
    if (shared.split(sep).filter((part) => part !== '').length < 2) {
      throw new KernloopError(
        'PATH_OUTSIDE',
        `${real} is included but shares no folder with the sources in ${this.root}`,
        'add its folder to the include directories of the build, or move it into the workspace',
      );
    }
    this.root = shared;
  }

  private place(carried: readonly OpenedFile[]): void {
    const placed = new Set<string>();
    for (const { spelled, real } of carried) {
      const path = this.pathInDeps(real) ?? basename(real);
      if (!placed.has(path)) this.files.push({ path, origin: real });
      placed.add(path);
      const reached = this.spelledInDeps(spelled);
      if (reached !== null && reached !== path) this.aliases[reached] = path;
    }
    this.folders.push(...this.emptyFolders(carried));
    this.files.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  private emptyFolders(carried: readonly OpenedFile[]): string[] {
    const left = new Set(carried.flatMap(({ through }) => through ?? []).map((folder) => this.spelledInDeps(folder)));
    const isEmpty = (folder: string): boolean => !this.files.some(({ path }) => path.startsWith(`${folder}/`));
    return [...left].filter((folder) => folder !== null && folder !== '' && isEmpty(folder)).sort() as string[];
  }

  /** Path below deps/ by which the compiler reached a file, links not followed; null if reached from outside. */
  private spelledInDeps(file: string): string | null {
    for (let folder = dirname(file); ; folder = dirname(folder)) {
      if (existsSync(folder) && realpathSync(folder) === this.root) return relative(folder, file);
      if (dirname(folder) === folder) return null;
    }
  }
}

function sharedFolder(folder: string, path: string): string {
  let shared = folder;
  while (!isInside(shared, path)) shared = dirname(shared);
  return shared;
}

/** Follows the links of a path whose last part may not exist. */
function realpathOfExisting(path: string): string {
  let existing = path;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  return join(realpathSync(existing), relative(existing, path));
}

/** Replaces a folder where it is a whole path, not the start of a longer name. */
function replacePath(text: string, folder: string, replacement: string): string {
  let result = '';
  let rest = text;
  for (let at = rest.indexOf(folder); at >= 0; at = rest.indexOf(folder)) {
    const next = rest[at + folder.length] ?? '/';
    const whole = !isNameCharacter(next);
    result += rest.slice(0, at) + (whole ? replacement : folder);
    rest = rest.slice(at + folder.length);
  }
  return result + rest;
}

function isNameCharacter(character: string): boolean {
  return /[\w.-]/.test(character);
}
