import { closeSync, openSync, readSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { declaredPrograms } from './cmake';
import type { KernloopJson } from './kernloop-json';
import { programsOfMakefile } from './make';
import type { WorkspaceFiles } from './workspace-files';

/** Maximum depth of build products below the app's folder. */
const maxDepth = 4;

const skipped = new Set(['node_modules', '.git', '.nx', '.kernloop', '.venv', 'CMakeFiles', 'kernels', '_deps']);

const elfMagic = 0x7f454c46;
/** ELF types of programs: ET_EXEC, and ET_DYN for position-independent programs; libraries are excluded by name. */
const elfPrograms = [2, 3];
/** ELF machines of hosts, x86-64 and AArch64: code objects of GPUs are ELF files, too. */
const elfHosts = [62, 183];

const makefiles = ['GNUmakefile', 'makefile', 'Makefile'];
const notStarted = ['setup.py', 'conftest.py', '__init__.py'];

export interface Detected {
  /** Built programs, relative to the app. */
  programs: string[];
  /** Programs that a build will make, if its files plainly declare them. */
  expected: string[];
  /** Python scripts in the folder itself that are meant to be started. */
  scripts: string[];
  /** Compile databases relative to the app, the shallowest first. */
  compileDatabases: string[];
  build: KernloopJson['build'];
}

/** Facts about an app from its folder, without running anything. */
export function detect(tree: WorkspaceFiles, directory: string): Detected {
  const files = filesBelow(tree, directory, '', maxDepth);
  const build = detectBuild(tree, directory, files);
  return {
    programs: files.filter((file) => isProgram(tree, join(directory, file))),
    expected: expectedPrograms(tree, directory, build),
    scripts: build ? [] : startedScripts(tree, directory, files),
    compileDatabases: shallowest(files.filter((file) => basename(file) === 'compile_commands.json')),
    build,
  };
}

function detectBuild(tree: WorkspaceFiles, directory: string, files: readonly string[]): KernloopJson['build'] {
  if (tree.exists(join(directory, 'CMakeLists.txt'))) {
    const folder = buildFolder(files);
    return {
      configure: ['cmake', '-S', '.', '-B', folder, '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON'],
      command: ['cmake', '--build', folder],
      outputs: [folder],
    };
  }
  if (makefiles.some((name) => tree.exists(join(directory, name)))) return { command: ['make'], outputs: [] };
  return undefined;
}

/** Folder in which CMake was configured, else the usual one. */
function buildFolder(files: readonly string[]): string {
  const configured = shallowest(files.filter((file) => basename(file) === 'CMakeCache.txt')).map(dirname);
  return configured.find((folder) => folder !== '.') ?? 'build';
}

function expectedPrograms(tree: WorkspaceFiles, directory: string, build: KernloopJson['build']): string[] {
  if (build === undefined) return [];
  const folder = build.configure && build.outputs[0];
  if (!folder) {
    const makefile = makefiles.find((name) => tree.exists(join(directory, name))) ?? '';
    const names = programsOfMakefile(tree.read(join(directory, makefile), 'utf-8') ?? '');
    return names.map((name) => (name.includes('/') ? name : `./${name}`));
  }
  return declaredPrograms(tree.read(join(directory, 'CMakeLists.txt'), 'utf-8') ?? '').map((name) =>
    join(folder, name),
  );
}

/** Scripts that are marked as programs (`__main__`, `#!`), else the only script. */
function startedScripts(tree: WorkspaceFiles, directory: string, files: readonly string[]): string[] {
  const scripts = files.filter((file) => !file.includes('/') && file.endsWith('.py') && !notStarted.includes(file));
  const started = scripts.filter((file) => {
    const text = tree.read(join(directory, file), 'utf-8') ?? '';
    return text.startsWith('#!') || /^if\s+__name__\s*==\s*['"]__main__['"]/m.test(text);
  });
  return started.length > 0 || scripts.length > 1 ? started : scripts;
}

function filesBelow(tree: WorkspaceFiles, root: string, folder: string, levels: number): string[] {
  return tree
    .children(join(root, folder))
    .filter((name) => !skipped.has(name))
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      if (tree.isFile(join(root, path))) return [path];
      return levels > 1 ? filesBelow(tree, root, path, levels - 1) : [];
    });
}

function isProgram(tree: WorkspaceFiles, path: string): boolean {
  const name = basename(path);
  if (/\.so(\.\d+)*$/.test(name) || name.endsWith('.o') || name.endsWith('.hsaco')) return false;
  const bytes = head(tree, path, 20);
  return (
    bytes.length === 20 &&
    bytes.readUInt32BE(0) === elfMagic &&
    elfPrograms.includes(bytes.readUInt16LE(16)) &&
    elfHosts.includes(bytes.readUInt16LE(18))
  );
}

/** Reads only the first bytes: files beside a program may have many gigabytes. */
function head(tree: WorkspaceFiles, path: string, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  try {
    const file = openSync(join(tree.root, path), 'r');
    try {
      return bytes.subarray(0, readSync(file, bytes, 0, size, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return tree.read(path)?.subarray(0, size) ?? bytes.subarray(0, 0);
  }
}

function shallowest(paths: readonly string[]): string[] {
  return [...paths].sort((a, b) => a.split('/').length - b.split('/').length);
}
