import type { Environment } from '../support/environment';
import { pathFolders, programsIn } from '../support/programs';
import { compilerCandidates } from './find-compiler';
import { debianPackages } from './program-packages';

/**
 * Next step for a program that a command did not find: the folder that has it, if it is one of those in which Kernloop
 * finds compilers, else the packages to install.
 */
export function howToGet(program: string, env: Environment): string {
  const [elsewhere] = compilerCandidates(program, { ...env, KERNLOOP_COMPILER: undefined });
  const isOnPath = programsIn(pathFolders(env['PATH']), program).length > 0;
  if (elsewhere !== undefined && !isOnPath) {
    const folder = elsewhere.slice(0, -program.length - 1);
    return `${program} is in ${folder}, which is not on the PATH: export PATH="${folder}:$PATH"`;
  }
  const names = debianPackages(program);
  const own = names.length > 0 ? `sudo apt-get install ${names.join(' ')}` : `install ${program}`;
  return `${own}, or put the folder that has ${program} on the PATH`;
}
