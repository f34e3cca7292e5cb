import { join } from 'node:path';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { writtenTrace } from '../trace/testing/written-trace';
import { writeTraceFolder } from '../trace/write-folder';
import { traceReadOptionsSchema } from './options';
import { traceRead, traceReadExitCode } from './trace-read';

const section = { bytes: 96, offset: 64, recorded_offset: 64, units_written: 2, units: 2, is_ragged: false };
const trace = {
  event: 'trace',
  dialect: 'warp-div',
  grid: [3, 1, 1],
  block: [40, 1, 1],
  shared_bytes: 512,
  blocks: 3,
  threads: 40,
  file_bytes: 1120,
  has_wrong_offsets: false,
  sections: [section],
};
const columns = [{ name: 'start', sum: '0xffffffffffffffff', least: '0x0', most: '0x1', nonzero: 1 }];
const dmat = { pages: 2, clocks: 2, pairs: 2, accesses: 3, first_clock: '0x5', last_clock: '0x9', empty: 0 };

describe('trace read', () => {
  let workspace: TestWorkspace;
  let deps: FakeDeps;
  let folder: string;
  let broken: boolean;

  beforeEach(() => {
    workspace = new TestWorkspace();
    folder = writeTraceFolder(workspace.path('traces'), writtenTrace);
    broken = false;
    deps = fakeDeps(
      {
        'kernloop-trace': ({ args, print }) => {
          if (broken) {
            print({ event: 'error', code: 'TRACE_INVALID', message: 'section[0].size is 3', hint: 'cut off' });
            return 2;
          }
          if (args[0] === 'dmat-info') print({ ...dmat, event: 'dmat' });
          else print(args[0] === 'inspect' ? trace : { event: 'map', name: 'block_sched', rows: 6, columns });
          return 0;
        },
      },
      workspace.native,
    );
  });
  afterEach(() => workspace.dispose());

  const read = (options: object) => traceRead(traceReadOptionsSchema.parse(options), deps);

  it('reads the folder in a --tracedir, whole, and hands the maps of its probe.toml to the native program', async () => {
    const result = await read({ trace: workspace.path('traces') });
    expect(result).toMatchObject({
      path: folder,
      process: { pid: 4711 },
      log: {
        unknown: [],
        launches: [{ kernel: '_Z5saxpyPff', parameters: ['0x7f5e00000000', '0x3f800000'], result: '1.250000.bin' }],
      },
      kernels: [{ name: '_Z5saxpyPff', is_name_of_folder: true }],
      results: [{ dialect: 'warp-div', maps: [{ rows: 6 }], error: null }],
    });
    expect(traceReadExitCode(result)).toBe(0);
    const [inspect, summary] = deps.calls.map(({ args }) => args);
    expect(inspect?.slice(0, 3)).toEqual(['inspect', join(folder, 'result', '1.250000.bin'), '--maps']);
    expect(JSON.parse(summary?.[3] ?? '')).toMatchObject([{ name: 'block_sched', unit_bytes: 16 }, { name: 'bytes' }]);
    expect(deps.said.result.join('\n')).toContain('18446744073709551615');
  });

  it('passes on how a file is to be read', async () => {
    await read({ trace: folder, dialect: 'unit', offsets: 'recorded' });
    expect(deps.calls[0]?.args.slice(4)).toEqual(['--dialect', 'unit', '--offsets', 'recorded']);
  });

  it('says of one file of a folder what is wrong with it, and ends with exit code 1', async () => {
    broken = true;
    const result = await read({ trace: folder });
    expect(result.results).toMatchObject([{ error: { code: 'TRACE_INVALID' } }]);
    expect(traceReadExitCode(result)).toBe(1);
    expect(deps.said.warn.join('\n')).toContain('section[0].size is 3');
  });

  it('reads the accesses that were counted of a result file', async () => {
    workspace.write('traces/Nov22_093015_4711/result/1.250000.dmat', 'x');
    const path = join(folder, 'result', '1.250000.dmat');
    const counted = { file: path, bytes: 1, pages: 2, clocks: 2, accesses: 3, first_clock: '0x5', last_clock: '0x9' };
    const [whole, alone] = [await read({ trace: folder }), await read({ trace: path })];
    expect([whole.dmats, whole.results.length]).toEqual([[{ ...counted, error: null }], 1]);
    expect([alone.dmats, alone.results]).toEqual([whole.dmats, []]);
    expect(deps.said.result.at(-1)).toBe('1.250000.dmat: 1 B, 3 accesses of 2 pages of 64 KiB at 2 clocks, 5 to 9');
    broken = true;
    expect(traceReadExitCode(await read({ trace: folder }))).toBe(1);
    expect((await failure(read({ trace: path }))).code).toBe('TRACE_INVALID');
  });

  it('ends with the error of the one file that was named', async () => {
    broken = true;
    const error = await failure(read({ trace: join(folder, 'result', '1.250000.bin') }));
    expect([error.code, error.what]).toEqual(['TRACE_INVALID', 'section[0].size is 3']);
  });
});
