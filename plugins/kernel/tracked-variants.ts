import { join } from 'node:path';
import { fieldOf, type JsonReader } from '../../lib/support/lenient-json';
import type { Environment } from '../../lib/support/environment';
import { stageTasks } from '../../lib/stages/stage-tasks';
import { environmentName } from '../../lib/support/option-variables';
import { kernelFile } from '../../lib/support/project-file-names';

/**
 * All values that `variant` of a reproducer's tasks may have in this command: from the command line, the environment,
 * kernel.json, and targets that the user wrote. Hashing values that are not a task's variant costs only cache hits.
 */
export function trackedVariants(
  folder: string,
  nxJson: unknown,
  argv: readonly string[],
  env: Environment,
  json: JsonReader,
): string[] {
  const inWorkspace = [
    // Only the options: `source` of kernel.json also has a field `variant`, the file that the user edits.
    fieldOf(json(join(folder, kernelFile)), 'options'),
    json(join(folder, 'project.json')),
    fieldOf(json(join(folder, 'package.json')), 'nx'),
    nxJson,
  ];
  const named = [...namedVariants(argv, env), ...inWorkspace.flatMap(optionsIn)];
  return [...new Set(named.filter((name) => name !== '' && name !== 'none'))].sort();
}

/** Variables that set `variant` of a stage. */
const variantVariables = stageTasks
  .filter(({ options }) => options.includes('variant'))
  .map(({ name }) => environmentName(name, 'variant'));

/** Values from this command itself, not from a file. */
export const namedVariants = (argv: readonly string[], env: Environment): string[] => [
  ...flagsOf(argv),
  ...variantVariables.map((name) => env[name] ?? ''),
];

/** Values of `--variant FILE` and `--variant=FILE`. */
function flagsOf(argv: readonly string[]): string[] {
  return argv.flatMap((word, index) => {
    if (word === '--variant') return [argv[index + 1] ?? ''];
    return word.startsWith('--variant=') ? [word.slice('--variant='.length)] : [];
  });
}

/** Values of every field with that name, at any depth: targets, configurations, options of a stage. */
function optionsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    name === 'variant' && typeof inner === 'string' ? [inner] : optionsIn(inner),
  );
}
