import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Deps } from '../deps/deps';
import { judging } from '../replay/check';
import { judgedBy } from '../replay/judged';
import { replayWithinLimit } from '../replay/within-limit';
import { KernloopError } from '../support/error';
import { writeJson } from '../support/files';
import type { ProbeBackend, ProbedLaunch, ProbedMap, ProbeRun } from './backend';
import { engineRequest } from './engine-probes';
import type { ProbeSet } from './probe-set';

/** The engine calls the probes itself (native/softgpu/engine/observe/probes.h): it changes no code and no kernel memory. */
export const softgpuBackend: ProbeBackend = {
  check(_session, probes): void {
    if (probes.engine.length > 0) return;
    const names = probes.file.probes.map(({ name }) => name).join(', ');
    throw new KernloopError(
      'PROBE_UNSUPPORTED',
      `${probes.path}: ${names}: the code of these probes is assembly of a GPU, which the software GPU does not run`,
      'say in a table [softgpu.NAME] of the file where the probe is and what it saves (docs/reference/trace-formats.md)',
    );
  },

  async run(request: ProbeRun, deps: Deps): Promise<ProbedLaunch> {
    const { session, probes, capacity, folder } = request;
    mkdirSync(folder, { recursive: true });
    const file = join(folder, 'request.json');
    writeJson(file, engineRequest(probes.engine, probes.file, capacity));
    const output = join(folder, 'maps');
    const outcome = await replayWithinLimit(
      {
        ...session.request,
        ...judging(session),
        compare: true,
        iterations: 1,
        seed: request.seed ?? 1,
        // One compute unit makes every result repeatable.
        threads: request.threads ?? 1,
        probes: { file, output },
      },
      session.device,
      deps,
    );
    return {
      ...judgedBy(outcome),
      warpSize: outcome.probes?.wave_size === 32 ? 32 : 64,
      maps: outcome.probes?.maps.map((map) => probedMap(map, probes, output)) ?? [],
      code: null,
      files: {},
      waveInstructions: outcome.result.wave_instructions ?? null,
      milliseconds: null,
      leftOut: unwrittenMaps(probes),
    };
  },
};

type TellMap = NonNullable<Awaited<ReturnType<typeof replayWithinLimit>>['probes']>['maps'][number];

function probedMap(map: TellMap, { file }: ProbeSet, folder: string): ProbedMap {
  const level = file.maps.find(({ name }) => name === map.name)?.level ?? 'thread';
  return {
    name: map.name,
    level,
    path: join(folder, map.file),
    unitBytes: map.unit_bytes,
    countsPath: join(folder, map.counts_file),
    kept: map.kept,
    dropped: map.dropped,
  };
}

function unwrittenMaps({ file, engine }: ProbeSet): string[] {
  return file.maps
    .filter(({ name }) => !engine.some(({ map }) => map === name))
    .map(({ name }) => `map ${name} stays empty: no table [softgpu.…] writes to it`);
}
