import { join } from 'node:path';
import { fieldOf, type JsonReader } from '../../lib/support/lenient-json';
import type { Environment } from '../../lib/support/environment';
import { kernelFile } from '../../lib/support/project-file-names';

/**
 * Every value that `variant` of a reproducer's tasks may have in this command: of the command line, of the environment, of kernel.json,
 * and of targets that the user wrote. Those that do not name the task's variant are hashed in vain, which only costs a hit.
 */
export function trackedVariants(
  folder: string,
  nxJson: unknown,
  argv: readonly string[],
  env: Environment,
  json: JsonReader,
): string[] {
  const inWorkspace = [
    // `source` of kernel.json has a variant, too: the file that the user edits.
    fieldOf(json(join(folder, kernelFile)), 'options'),
    json(join(folder, 'project.json')),
    fieldOf(json(join(folder, 'package.json')), 'nx'),
    nxJson,
  ];
  const named = [...namedVariants(argv, env), ...inWorkspace.flatMap(optionsIn)];
  return [...new Set(named.filter((name) => name !== '' && name !== 'none'))].sort();
}

/** By this command itself, not by a file. */
export const namedVariants = (argv: readonly string[], env: Environment): string[] => [
  ...flagsOf(argv),
  env['KERNLOOP_VARIANT'] ?? '',
];

/** `--variant FILE` and `--variant=FILE`. */
function flagsOf(argv: readonly string[]): string[] {
  return argv.flatMap((word, index) => {
    if (word === '--variant') return [argv[index + 1] ?? ''];
    return word.startsWith('--variant=') ? [word.slice('--variant='.length)] : [];
  });
}

/** Values of every field of that name, wherever it stands: targets, configurations, options of a stage. */
function optionsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    name === 'variant' && typeof inner === 'string' ? [inner] : optionsIn(inner),
  );
}
