import { existsSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { join } from 'node:path';
import { codeObjects } from '../recompile/current-variant';
import { notSources } from '../stage/writes';
import { KernloopError } from '../support/error';
import { kernelFile } from '../support/project-file-names';
import { bounds, bytesOf, type Candidate } from './candidate-json';

/** Control characters would break messages and dependency files. */
const printable = /^[^\p{Cc}\\]+$/u;

/** Refuses files that could reach what decides the verdict, or that a compiler cannot be given. `root`: a snapshot. */
export function requireCandidateFiles({ files }: Pick<Candidate, 'files'>, root: string): void {
  const refuse = (name: string, why: string): never => {
    throw new KernloopError(
      'CANDIDATE_REFUSED',
      `${JSON.stringify(name)} ${why}`,
      'name files that the reproducer is compiled from: kernel_variant.*, deps/…',
    );
  };
  const names = Object.keys(files);
  for (const name of names) {
    if (!printable.test(name) || name.includes('.partial-')) refuse(name, 'is no name of a source file');
    if (posix.isAbsolute(name) || posix.normalize(name) !== name || name.startsWith('../') || name.endsWith('/'))
      refuse(name, 'is no plain path below the reproducer');
    const [top = ''] = name.split('/');
    if (notSources.has(top) || top === kernelFile || top === '__pycache__' || top === '..' || top === '.')
      refuse(name, 'decides the verdict, or is written by stages: a candidate cannot replace it');
    if (codeObjects.test(name)) refuse(name, 'is a code object: candidates are sources');
    if (isFolder(join(root, name))) refuse(name, 'is a folder of the reproducer');
    for (let parent = posix.dirname(name); parent !== '.'; parent = posix.dirname(parent))
      if (names.includes(parent) || isFile(join(root, parent))) refuse(name, `lies below the file ${parent}`);
  }
  const bytes = bytesOf({ files });
  if (bytes > bounds.bytes)
    throw new KernloopError(
      'CANDIDATE_REFUSED',
      `its files hold ${bytes} bytes, and a candidate may hold ${bounds.bytes}`,
      'send only the files that differ from the reproducer',
    );
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();
const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();
