import { basename, join } from 'node:path';
import type { Tree } from '@nx/devkit';
import type { KernloopJson } from '../../lib/app/kernloop-json';

/** How deep below the app's folder builds put their products. */
const maxDepth = 4;

const skipped = new Set(['node_modules', '.git', '.nx', '.kernloop', 'CMakeFiles', 'kernels', '_deps']);

const elfMagic = 0x7f454c46;
/** ET_EXEC and ET_DYN (position-independent programs, but also libraries, which are told apart by name). */
const elfPrograms = [2, 3];

export interface Detected {
  /** Programs that a build has made, relative to the app. */
  programs: string[];
  /** Compile databases, the shallowest first, relative to the app. */
  compileDatabases: string[];
  build: KernloopJson['build'];
}

/** What an app's folder tells of itself, without running anything. */
export function detect(tree: Tree, directory: string): Detected {
  const files = filesBelow(tree, directory, '', maxDepth);
  return {
    programs: files.filter((file) => isProgram(tree, join(directory, file))),
    compileDatabases: files
      .filter((file) => basename(file) === 'compile_commands.json')
      .sort((a, b) => depth(a) - depth(b)),
    build: detectBuild(tree, directory),
  };
}

function detectBuild(tree: Tree, directory: string): KernloopJson['build'] {
  if (tree.exists(join(directory, 'CMakeLists.txt'))) {
    return {
      configure: ['cmake', '-S', '.', '-B', 'build', '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON'],
      command: ['cmake', '--build', 'build'],
      outputs: ['build'],
    };
  }
  if (tree.exists(join(directory, 'Makefile'))) return { command: ['make'], outputs: [] };
  return undefined;
}

function filesBelow(tree: Tree, root: string, folder: string, levels: number): string[] {
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

function isProgram(tree: Tree, path: string): boolean {
  const name = basename(path);
  if (name.includes('.so') || name.endsWith('.o') || name.endsWith('.hsaco')) return false;
  const bytes = tree.read(path);
  return (
    bytes !== null &&
    bytes.length >= 20 &&
    bytes.readUInt32BE(0) === elfMagic &&
    elfPrograms.includes(bytes.readUInt16LE(16))
  );
}

function depth(path: string): number {
  return path.split('/').length;
}
