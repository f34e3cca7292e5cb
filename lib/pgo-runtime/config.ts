import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../app/app';
import type { Deps } from '../deps/deps';
import type { NativeProduct } from '../native/native-paths';
import { builtNative } from '../deps/built-native';
import { appPgoPaths } from '../pgo/layout';
import { KernloopError } from '../support/error';
import { writeJson } from '../support/files';
import { partialOf } from '../support/leftovers';
import type { RuntimeCompiler } from './compiler';
import type { PgoRuntimeOptions } from './options';

/** ptxas places registers and spills, so a profile gives one build. */
export const gatesFor = (isCuda: boolean, { gate }: Pick<PgoRuntimeOptions, 'gate'>): string[] =>
  isCuda ? ['use'] : gate;

export async function requireNative(product: NativeProduct, deps: Deps): Promise<string> {
  const library = await builtNative(product, deps);
  const missing = [library, deps.native.pgoRuntimeBuilder].find((path) => !existsSync(path));
  if (missing === undefined) return library;
  throw new KernloopError(
    'ENVIRONMENT_NATIVE_MISSING',
    `${missing} not found`,
    'install kernloop once more (in a checkout: `npm run build:native`)',
  );
}

type Compiler = RuntimeCompiler & { gates: readonly string[] };

/** Settings for the library and the builder, in a file that exists while `work` runs. */
export async function withConfig<T>(
  app: App,
  options: PgoRuntimeOptions,
  { clang, profdata, gates, ...words }: Compiler,
  deps: Deps,
  work: (config: string, events: string) => Promise<T>,
): Promise<T> {
  const { runtime: cache } = appPgoPaths(app.root);
  const events = partialOf(join(cache, '.run'));
  const config = join(events, 'config.json');
  try {
    mkdirSync(events, { recursive: true });
    writeJson(config, {
      schema: 'kernloop.pgo-runtime/1',
      ...{
        builder: deps.native.pgoRuntimeBuilder,
        cache,
        events,
        mode: options.phase,
        clang,
        profdata,
        ...words,
        gates,
      },
      measure_launches: options.measureLaunches,
      sample_one_in: options.sampleOneIn,
      window: options.window,
      bound: Math.round(options.bound * 100),
      compile_limit_seconds: options.compileLimitSeconds,
    });
    return await work(config, events);
  } finally {
    rmSync(events, { recursive: true, force: true });
  }
}
