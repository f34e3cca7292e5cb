// Seconds and CPU time of compiling and linking, from the edit of one file of the native core to its test.
//   node bench/native-edits.mjs [--rounds N]
// Touches a file of each room in this checkout and builds the room's test in native/build, which must be complete (`npm
// run build:native`). The minimum of all rounds (2) counts. Prints one JSON object.
import { spawnSync } from 'node:child_process';
import { existsSync, utimesSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { rounds = '2' } = parseArgs({ options: { rounds: { type: 'string' } } }).values;

/** A file of medium size in each room, and the test that its author would run. */
const edits = {
  archive: ['archive/store/chunk_store.cpp', 'archive_test'],
  codeobject: ['codeobject/cubin.cpp', 'codeobject_test'],
  'capture/core': ['capture/core/scope.cpp', 'capture_test'],
  'capture/hsa': ['capture/hsa/drain.cpp', 'kernloop-capture-hsa'],
  'capture/cuda': ['capture/cuda/app/graphs.cpp', 'cuda_capture_unit_test'],
  recorder: ['recorder/session.cpp', 'kernloop-recorder'],
  verdict: ['verdict/compare.cpp', 'replay_test'],
  'replay/cuda': ['replay/cuda/launch_plan.cpp', 'replay_cuda_plan_test'],
  'replay/hsa': ['replay/hsa/caches.cpp', 'replay_hsa_test'],
  'softgpu/isa': ['softgpu/isa/decode_vector.cpp', 'softgpu_isa_test'],
  'softgpu/engine': ['softgpu/engine/scalar/sop2.cpp', 'softgpu_engine_test'],
  'softgpu/engine/vector': ['softgpu/engine/vector/packed.cpp', 'softgpu_vector_test'],
  'softgpu/hsa': ['softgpu/hsa/queues/signals.cpp', 'softgpu_hsa_test'],
  'fakes/cuda': ['fakes/cuda/work/streams.cpp', 'cuda_fake'],
  'a test': ['replay/test/session_test.cpp', 'replay_test'],
};

function build(target) {
  const script = `TIMEFORMAT='%R %U %S'; time ninja -C native/build ${target}`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${target} does not build:\n${stdout}${stderr}`);
  const [seconds, user, system] = stderr.trimEnd().split('\n').at(-1).split(' ').map(Number);
  return { seconds, cpu_seconds: user + system };
}

function measure([file, target]) {
  const path = join(root, 'native', file);
  if (!existsSync(path))
    throw new Error(`${file} is not there: choose another file for its room in ${import.meta.url}`);
  build(target);
  const all = Array.from({ length: Number(rounds) }, () => {
    utimesSync(path, new Date(), new Date());
    return build(target);
  });
  const least = (field) => Number(Math.min(...all.map((round) => round[field])).toFixed(1));
  return { file, target, seconds: least('seconds'), cpu_seconds: least('cpu_seconds') };
}

const rows = Object.entries(edits).map(([room, edit]) => ({ room, ...measure(edit) }));
const result = {
  bench: 'native-edits',
  cpu: cpus()[0].model,
  hardware_threads: availableParallelism(),
  rounds: Number(rounds),
  edits: rows,
};
process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
