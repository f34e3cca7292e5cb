import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { App } from '../app/app';
import type { Deps } from '../deps/deps';
import { appPgoPaths } from '../pgo/layout';
import { KernloopError } from '../support/error';
import { throwIfInterrupted } from '../support/interrupted';
import { describeEnd, EventReader, rebuildHint } from '../support/ndjson';
import { readJson } from '../support/schema';
import { findLlvm } from '../toolchain/find-llvm';
import { runtimeCompiler } from './compiler';
import { gatesFor, requireNative, withConfig } from './config';
import type { PgoRuntimeOptions } from './options';
import type { PgoRuntimeResult } from './result';

/** Builds for a machine that has no clang: its cache is copied here and back. */
export async function buildWhatIsMissing(app: App, options: PgoRuntimeOptions, deps: Deps): Promise<PgoRuntimeResult> {
  const { runtime: cache } = appPgoPaths(app.root);
  await requireNative('pgoRuntimeBuilder', deps);
  const folders = requestsIn(cache);
  if (folders.length === 0) {
    throw new KernloopError(
      'PGO_PROFILE_MISSING',
      `${cache} holds no program`,
      'run `kernloop pgo-runtime` where the app runs, and copy that folder here',
    );
  }
  await findLlvm(deps);
  const built: PgoRuntimeResult['built'] = [];
  for (const { folder, target } of folders) {
    const isCuda = target.startsWith('sm_');
    const compiler = { ...(await runtimeCompiler(app, options, isCuda, deps)), gates: gatesFor(isCuda, options) };
    const entry = await withConfig(app, options, compiler, deps, (config) => buildFolder(config, folder, deps));
    const one = {
      ...{ folder, target, instrumented: entry.instrumented !== '', profiles: entry.profiles },
      problem: entry.problem?.message ?? null,
    };
    built.push(one);
    const made = [
      ...(one.instrumented ? ['code with counters'] : []),
      ...(one.profiles === 0 ? [] : [`code of ${one.profiles} ${one.profiles === 1 ? 'profile' : 'profiles'}`]),
    ];
    const problem = one.problem === null ? '' : `: ${one.problem}`;
    deps.report.result(`${basename(folder)}: ${made.join(', ') || 'nothing'} for ${target}${problem}`);
  }
  return { app: app.config.name, cache, processes: 0, programs: [], built };
}

async function buildFolder(config: string, folder: string, deps: Deps): Promise<Entry> {
  const seen: Entry[] = [];
  const name = 'kernloop-pgo-runtime';
  const reader = new EventReader<Entry>(name, new Map([['entry', entrySchema]]), (event) => seen.push(event));
  const args = ['build', '--config', config, '--folder', folder];
  const ended = await deps.run(deps.native.pgoRuntimeBuilder, args, { onStdoutLine: reader.push }).result;
  throwIfInterrupted(deps.signal);
  reader.finish(ended);
  const [entry] = seen;
  if (entry !== undefined && ended.exitCode === 0) return entry;
  throw new KernloopError('NATIVE_FAILED', describeEnd(name, ended), rebuildHint);
}

function requestsIn(cache: string): { folder: string; target: string }[] {
  if (!existsSync(cache)) return [];
  return readdirSync(cache)
    .map((name) => join(cache, name))
    .filter((folder) => existsSync(join(folder, 'request.json')))
    .sort()
    .map((folder) => ({
      folder,
      target: readJson(join(folder, 'request.json'), requestSchema, 'IO_ERROR', 'copy the folder again').target,
    }));
}

const requestSchema = z.looseObject({ target: z.string() });

export const entrySchema = z.looseObject({
  ...{ event: z.literal('entry'), instrumented: z.string(), profiles: z.int() },
  problem: z.looseObject({ message: z.string() }).optional(),
});

type Entry = z.output<typeof entrySchema>;
