import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { KernloopError } from '../support/error';
import { isWritten, notSources } from '../stage/writes';
import { kernelFile } from '../support/project-file-names';
import { isInside } from '../support/files';
import { readRegularFile } from '../support/regular-file';

/** Matches in any text, also in comments: such a file is named only to be included. */
const asking =
  /(?:#\s*(?:include|include_next|import|embed)\b|__has_(?:include|include_next|embed)\s*\(|\.incbin\b)\s*\\?(?:"([^"\n\\]+)|<([^>\n]+))/g;

/**
 * Refuses a source that includes files written by Kernloop. The app has no such files, so the source would be another
 * program there than the judged one. `sources`: files of the reproducer that the compiler read, relative to it.
 */
export function refuseReproducerFiles(root: string, sources: readonly string[]): void {
  const asked = sources.flatMap((name) => askedIn(root, join(root, name)).map((path) => [name, path] as const));
  const [outside] = sources.flatMap((name) => outsideIn(root, join(root, name)).map((path) => ({ name, path })));
  if (outside) {
    throw new KernloopError(
      'SOURCE_DEPENDS_ON_REPRODUCER',
      `${outside.name} asks for ${relative(root, outside.path)}, outside of the reproducer: from the app's folder the same words lead to another place, and there the kernel would be another one than what is judged here`,
      `copy the file beside ${outside.name}, or take the __has_include of it out of the source`,
    );
  }
  const read = sources.map((name) => [name, join(root, name)] as const);
  const [source, path] =
    asked.find(([from, each]) => isOfKernloop(relative(root, each)) || isElsewhere(root, from, relative(root, each))) ??
    read.find(([, each]) => isOfKernloop(relative(root, each))) ??
    [];
  if (source === undefined || path === undefined) return;
  throw new KernloopError(
    'SOURCE_DEPENDS_ON_REPRODUCER',
    `${source} asks for ${relative(root, path)}, which Kernloop wrote into the reproducer and the app does not have there: there the kernel would be another one than what is judged here`,
    'take the #include, __has_include or .incbin of it out of the source',
  );
}

/** Matches a question whether a file exists. An #include of a file that the app lacks needs no rule: it ends the app's build. */
const deciding = /__has_(?:include|include_next|embed)\s*\(\s*(?:"([^"\n\\]+)|<([^>\n]+))/g;

function namesIn(file: string, pattern = asking): string[] {
  const text = readRegularFile(file, 'utf8').replaceAll(/\\\r?\n/g, '');
  return [...text.matchAll(pattern)].map(([, quoted, angled]) => quoted ?? angled ?? '');
}

/** The compiler searches the folder of the including file first, then the reproducer. */
function askedIn(root: string, file: string): string[] {
  return namesIn(file).map((name) => {
    const beside = resolve(dirname(file), name);
    return existsSync(beside) ? beside : resolve(root, name);
  });
}

/** Files outside of the reproducer for which a file asks by a path from its own folder, but for those of the app's own text. */
function outsideIn(root: string, file: string): string[] {
  const pristine = join(root, 'pristine', relative(root, file));
  const ofTheApp = new Set(existsSync(pristine) ? namesIn(pristine, deciding) : []);
  return namesIn(file, deciding).flatMap((name) => {
    const path = resolve(dirname(file), name);
    const isOutside = !isAbsolute(name) && !isInside(root, path);
    return isOutside && !ofTheApp.has(name) && existsSync(path) ? [path] : [];
  });
}

/** The copy to edit, and the folder of the app's files: a file that the app compiles knows them by other names. */
function isElsewhere(root: string, from: string, name: string): boolean {
  if (/^kernel_variant\.[^/]+$/.test(name)) return existsSync(join(root, 'pristine', name));
  return name.startsWith('deps/') && !from.startsWith('deps/') && existsSync(join(root, name));
}

function isOfKernloop(name: string): boolean {
  const [top = ''] = name.split('/');
  return (
    [kernelFile, 'project.json', 'package.json'].includes(name) ||
    // build/ may hold the user's files as well.
    (top === 'build' ? isWritten(name) : notSources.has(top))
  );
}
