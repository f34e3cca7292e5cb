import { basename } from 'node:path';
import { commandText } from '../support/command-text';

/** Commands that make a build compile everything again. */
export interface CleanBuild {
  /** Command to run before the build; null if the build itself cleans. */
  readonly clean: string | null;
  readonly build: readonly string[];
}

/** Options of make, ninja and `cmake --build` that name the folder or file of the build. */
const places: Readonly<Record<string, readonly string[]>> = {
  make: ['-C', '--directory', '-f', '--file', '--makefile'],
  ninja: ['-C', '-f'],
};

/** Null for a build whose tool does not say how to clean, such as a script. */
export function cleanBuild(command: readonly string[]): CleanBuild | null {
  const [program = '', ...args] = command;
  const tool = basename(program).replace(/^g(?=make$)/, '');
  if (tool === 'cmake' && args[0] === '--build') {
    const [, folder = '.', ...rest] = args;
    const isClean = rest.includes('--clean-first');
    return { clean: null, build: [program, '--build', folder, ...(isClean ? [] : ['--clean-first']), ...rest] };
  }
  const options = places[tool];
  if (options === undefined) return null;
  const kept = args.filter(
    (word, index) =>
      options.includes(word) ||
      options.includes(args[index - 1] ?? '') ||
      options.some((option) =>
        option.startsWith('--') ? word.startsWith(`${option}=`) : word.length > 2 && word.startsWith(option),
      ),
  );
  const clean = tool === 'make' ? ['clean'] : ['-t', 'clean'];
  return { clean: commandText([program, ...kept, ...clean]), build: command };
}
