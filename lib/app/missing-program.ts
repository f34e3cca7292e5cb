import type { RunResult } from '../support/exec';

/** Lines of make, of shells and of env about a program that they did not find. */
const complaints: readonly RegExp[] = [
  /^(?:g?make)(?:\[\d+\])?: ([\w.+-]+): No such file or directory/m,
  /^(?:\S*\/)?(?:ba|da|z)?sh: (?:line )?(?:\d+: )?([\w.+-]+): (?:command )?not found/m,
  /^(?:\S*\/)?env: ['‘]?([\w.+-]+)['’]?: No such file or directory/m,
];

/** Name of the program that a command ended without: the command itself, or one that it started; undefined if neither. */
export function missingProgram(command: readonly string[], ended: RunResult): string | undefined {
  const [program = ''] = command;
  if (ended.startError !== null) return /ENOENT/.test(ended.startError) && !program.includes('/') ? program : undefined;
  for (const complaint of complaints) {
    const found = complaint.exec(ended.stderrTail)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}
