// Short cases of rocPRIM's and hipCUB's look-back algorithms, repeated on several worker threads (docs/contributing/robustness.md).
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root as checkout, runMain, StepError } from '../../tools/console.mjs';
import { countsOf, repeatedIn, together } from './suites/repeated.mjs';
import { requireRoot, stopAll } from './suites/roots.mjs';
import { softgpuIn } from './suites/run.mjs';
import { evidenceOf } from './suites/table.mjs';

const help = `sudo node bench/rocm/look_back.mjs FOLDER --kernloop FOLDER [options]

Repeats short cases of scans, partitions, selections, reductions by key and segmented algorithms on several numbers of worker threads, in the
roots that bench/rocm/suites.mjs has made in FOLDER. The counts go to bench/results/rocm-suites.json. The exit code is 1 if any was not right.

  --kernloop FOLDER  an installed Kernloop (node e2e/install.cjs FOLDER), or its native build
  --release R        sid, or trixie (sid)
  --target T         a target that the suites have code for (gfx90a)
  --threads A,B      worker threads (2,4,16)
  --repeats N        repetitions of each case on each number of threads (100)
  --seconds S        limit of each program on each number of threads (600)
`;

/** Cases of a fraction of a second, in which workgroups hand sums to the next. */
const cases = {
  'librocprim-tests/test_device_partition': [
    ...['2.Predicate', '6.PredicateTwoWay', '6.PredicateThreeWay'].map((name) => `RocprimDevicePartitionTests/${name}`),
  ],
  'librocprim-tests/test_device_select': ['RocprimDeviceSelectTests/2.SelectOp', 'RocprimDeviceSelectTests/6.Flagged'],
  'librocprim-tests/test_device_reduce_by_key': [12, 17].map((type) => `RocprimDeviceReduceByKey/${type}.ReduceByKey`),
  'librocprim-tests/test_device_run_length_encode': [
    ...['13.Encode', '13.NonTrivialRuns', '14.NonTrivialRuns'].map((name) => `RocprimDeviceRunLengthEncode/${name}`),
  ],
  'librocprim-tests/test_device_segmented_scan': [
    ...['7.ExclusiveScan', '6.InclusiveScanUsingHeadFlags', '7.ExclusiveScanUsingHeadFlags'].map(
      (name) => `RocprimDeviceSegmentedScan/${name}`,
    ),
  ],
  'librocprim-tests/test_device_segmented_reduce': ['RocprimDeviceSegmentedReduce/9.Reduce'],
  'libhipcub-tests/test_hipcub_device_scan': [
    ...['0.ExclusiveScanByKey', '3.ExclusiveScan'].map((name) => `HipcubDeviceScanTests/${name}`),
  ],
  'libhipcub-tests/test_hipcub_device_partition': [
    'HipcubDevicePartitionTests/4.If',
    'HipcubDevicePartitionTests/2.IfThreeWay',
  ],
  'libhipcub-tests/test_hipcub_device_select': ['HipcubDeviceSelectTests/2.SelectOp'],
  'libhipcub-tests/test_hipcub_device_reduce_by_key': ['HipcubDeviceReduceByKey/12.ReduceByKey'],
  'libhipcub-tests/test_hipcub_device_run_length_encode': ['HipcubDeviceRunLengthEncode/9.NonTrivialRuns'],
};

const text = (fallback) => ({ type: 'string', ...(fallback && { default: fallback }) });
const options = {
  ...{ help: { type: 'boolean', default: false }, kernloop: text(), release: text('sid'), target: text('gfx90a') },
  ...{ threads: text('2,4,16'), repeats: text('100'), seconds: text('600') },
};

function positive(name, value) {
  if (!(Number(value) > 0)) throw new StepError(`--${name} ${value} is no number above 0`, '--help', 2);
  return Number(value);
}

await runMain(async () => {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) return void process.stdout.write(help);
  if (positionals.length !== 1 || !values.kernloop)
    throw new StepError('one FOLDER is wanted, and --kernloop', 'node bench/rocm/look_back.mjs --help', 2);
  requireRoot();
  const folder = resolve(positionals[0], values.release);
  const root = join(folder, 'root');
  if (!existsSync(`${root}.made`))
    throw new StepError(`${root} is not made`, 'node bench/rocm/suites.mjs FOLDER --only-roots', 3);
  const softgpu = softgpuIn(resolve(values.kernloop));
  const row = { root, folder, target: values.target };
  const limits = { repeats: positive('repeats', values.repeats), seconds: positive('seconds', values.seconds) };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => (stopAll(), process.exit(130)));
  const path = join(checkout, 'bench/results/rocm-suites.json');
  const byThreads = {};
  for (const threads of values.threads.split(',').map((number) => positive('threads', number))) {
    const programs = {};
    for (const [program, names] of Object.entries(cases)) {
      const turn = { ...limits, softgpu, threads, worker: 'look_back' };
      const counts = countsOf(await repeatedIn(row, `/usr/libexec/rocm/${program}`, names, turn));
      programs[basename(program)] = counts.run;
      byThreads[threads] = together([byThreads[threads] ?? countsOf([]), counts]);
      console.log(`${threads} threads: ${basename(program)}: ${counts.run} run, ${counts.right} right`);
      for (const other of counts.others) console.log(other);
    }
    byThreads[threads].programs = programs;
    // After each number of threads: what has run is kept if the next is stopped.
    const evidence = JSON.parse(readFileSync(path, 'utf8'));
    const made = {
      ...{ release: values.release, date: new Date().toISOString().slice(0, 10) },
      ...{ softgpu_sha256: softgpu.sha256, limits, cases, by_threads: byThreads },
    };
    const repetitions = { ...evidence.repetitions, [values.target]: made };
    writeFileSync(path, evidenceOf({ ...evidence, repetitions }));
  }
  return Object.values(byThreads).some(({ run, right }) => run === 0 || run > right) ? 1 : 0;
});
