import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeDeps, type FakeDeps } from '../../testing/fake-deps';
import type { TestWorkspace } from '../../testing/workspace';

/** Trace of one launch by the probe dmat: of a run of ours with an array of this name, or as Neutrino leaves it. */
export function writeProbeTrace(
  workspace: TestWorkspace,
  array: string | null,
  folder = array === null ? 'Nov22_093015_4711' : 'Nov22_093015_4712',
): string {
  const dmat = readFileSync(join(__dirname, '..', '..', '..', 'probes', 'dmat.toml'), 'utf8');
  workspace.write(join(folder, 'probe.toml'), dmat);
  workspace.write(join(folder, 'result', '1.000000.bin'), 'records');
  if (array !== null)
    workspace.write(join(folder, 'probe-run.json'), {
      ...{ kernel: array, code: 'the captured code', clock: 'wave-instructions', probe: { name: 'dmat' } },
      launches: [
        {
          ...{ dispatch: 7, result: 'result/1.000000.bin', verdict: 'pass', left_out: [] },
          maps: [{ name: 'DMAT', kept: 3, dropped: 0, units: 4 }],
          arrays: [{ name: array, address: '0x1000', bytes: 4096 }],
        },
      ],
    });
  return workspace.path(folder);
}

/** Like kernloop-trace heat-map: two pages, of which the second belongs to no array. */
export const probeDeps = (workspace: TestWorkspace): FakeDeps =>
  fakeDeps(
    {
      'kernloop-trace': ({ print }) => {
        print(JSON.stringify({ event: 'page', address: '0x1000', counts: [2, 0] }));
        print(JSON.stringify({ event: 'page', address: '0x9000', counts: [0, 1] }));
        const extent = { page_bytes: 256, pages: 2, first_clock: '0x0', last_clock: '0x9', interval: '0x5', bins: 2 };
        print(JSON.stringify({ event: 'heat_map', ...extent, accesses: 3, empty: 0 }));
        return 0;
      },
    },
    workspace.native,
  );
