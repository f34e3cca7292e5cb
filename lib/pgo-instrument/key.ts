import { existsSync } from 'node:fs';
import { buildJsonSchema, type BuildKey } from '../pgo/build-json';
import { mllvm } from '../pgo/clang-arguments';
import { pgoPaths } from '../pgo/layout';
import type { Reproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import { readJson } from '../support/schema';
import { instrumentReproducerSchema, type InstrumentReproducerOptions } from './options';

type Instrumenting = Pick<InstrumentReproducerOptions, 'sample' | 'slots' | 'uniform' | 'skipGuards'>;

/** Every option of the plugin is in the key, also defaults. */
export function keyOf({ sample, slots, uniform, skipGuards }: Instrumenting): BuildKey {
  return { options: { mode: 'generate', sample, slots, uniform, skip_guards: skipGuards }, profileSha256: null };
}

/**
 * Options of a run of pgo-instrument that is given none: those of its last run, else kernel.json's, else its defaults.
 */
export function optionsOf({ root, config }: Reproducer): InstrumentReproducerOptions {
  const path = pgoPaths(root).instrumentedJson;
  const declared = config.options['pgo-instrument'] ?? {};
  if (!existsSync(path)) return instrumentReproducerSchema.parse(declared);
  const { options } = readJson(path, buildJsonSchema, 'PGO_BUILD_MISSING', 'run `kernloop pgo-instrument`');
  const { sample, slots, uniform, skip_guards: skipGuards } = options;
  return instrumentReproducerSchema.parse({ ...declared, sample, slots, uniform, skipGuards });
}

/** Command-line arguments for the plugin: nothing goes through the environment. */
export function pluginArguments(
  plugin: { readonly path: string },
  { sample, slots, uniform, skipGuards }: Instrumenting,
): string[] {
  return [
    `-fpass-plugin=${plugin.path}`,
    ...mllvm('kernloop-pgo=generate'),
    ...mllvm(`kernloop-pgo-slots=${slots}`),
    ...mllvm(`kernloop-pgo-sample=${sample}`),
    ...mllvm(`kernloop-pgo-uniform=${uniform}`),
    ...(skipGuards ? mllvm('kernloop-pgo-skip-guards') : []),
  ];
}

export function requirePowers({ sample, slots }: Pick<Instrumenting, 'sample' | 'slots'>): void {
  const [, of] = sample.split(':');
  const isPower = (value: number): boolean => Number.isInteger(Math.log2(value));
  if (isPower(slots) && (of === undefined || isPower(Number(of)))) return;
  throw new KernloopError(
    'USAGE',
    isPower(slots) ? `--sample ${sample}: ${of ?? ''} is no power of two` : `--slots ${slots} is no power of two`,
    'use 1, 2, 4, 8, …',
  );
}
