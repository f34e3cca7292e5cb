// Examines the reproducer of one kernel (../gpu-examples.mjs); a worker, as every step is a process that is waited for.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { inParallel, kernloop, kernloopJson, native, run } from './host.mjs';
import { doNothing, hasUlpVariant, oneUlpWrong, writeEmptyKernel } from './variants.mjs';

const { replays } = workerData;
parentPort.postMessage(await examine(workerData));

async function examine({ folder, app, name }) {
  const failures = [];
  const note = (step, ended) =>
    failures.push({ kernel: name, step, exit: ended.code, output: ended.text.slice(-1500) });
  const readJson = (...path) => JSON.parse(readFileSync(join(folder, ...path), 'utf8'));
  const reproducer = join('kernels', app, name);
  const record = {
    app,
    kernel: name,
    selfcheck: '-',
    address_failures: 0,
    replays: 0,
    validate: '-',
    do_nothing: '-',
    one_ulp: '-',
    one_ulp_tolerated: '-',
  };
  let capture;
  try {
    capture = readJson(reproducer, 'capture', 'capture.json');
    record.selfcheck = readJson(reproducer, 'capture', 'selfcheck.json').verdict;
    record.bytes_raw = capture.regions.reduce((sum, { size }) => sum + size, 0);
  } catch (error) {
    failures.push({ kernel: name, step: 'capture', output: error.message });
    return { record, failures };
  }
  const command = [join(native, 'bin', 'kernloop-replay'), replayArguments(folder, reproducer, record)];
  for (const ended of await inParallel(4, Array(replays).fill(command))) {
    record.replays += ended.code === 0 ? 1 : 0;
    record.address_failures += /ADDRESS_TAKEN/.test(ended.text) ? 1 : 0;
    if (ended.code !== 0) note('replay', ended);
  }
  const validate = (...extra) => kernloopJson(['validate', '--reproducer', reproducer, ...extra], { cwd: folder });
  const verdict = (ended) => ended.result?.verdict ?? `exit ${ended.code}`;
  const plain = validate('--variant', 'none');
  record.validate = verdict(plain);
  if (record.validate !== 'pass') note('validate', plain);
  if (readJson(reproducer, 'kernel.json').language === 'none') {
    const target = /sm_\d+a?/.exec(capture.device.isa)?.[0] ?? 'sm_90';
    const source = writeEmptyKernel(capture, target, join(folder, reproducer, 'build'));
    const cubin = source.replace(/cu$/, 'cubin');
    const built = run('nvcc', ['-cubin', `-arch=${target}`, '-o', cubin, source]);
    if (built.code !== 0) note('empty kernel', built);
    const ended = validate('--variant', cubin);
    record.do_nothing = verdict(ended);
    if (record.do_nothing !== 'fail') note('do-nothing', ended);
    return { record, failures };
  }
  const recompile = () => {
    const built = kernloop(['recompile', '--reproducer', reproducer], { cwd: folder });
    if (built.code !== 0) note('recompile', built);
    return built.code === 0;
  };
  const withEdit = (edit, judge) => {
    const edited = edit(join(folder, reproducer), name);
    try {
      if (edited.changed === 0) return 'no edit';
      return recompile() ? judge() : 'no build';
    } finally {
      edited.restore();
    }
  };
  record.rebuilt = recompile() ? verdict(validate()) : 'no build';
  record.do_nothing = withEdit(doNothing, () => verdict(validate()));
  if (hasUlpVariant(name)) {
    withEdit(oneUlpWrong, () => {
      record.one_ulp = verdict(validate());
      record.one_ulp_tolerated = verdict(validate('--ulp', '1', '--dtype', name === 'axpby' ? 'f64' : 'f32'));
    });
  }
  return { record, failures };
}

/** Every one compares device memory with what the app computed. */
function replayArguments(folder, reproducer, { selfcheck }) {
  const capture = join(folder, reproducer, 'capture');
  const varying = selfcheck === 'nondeterministic' ? ['--known-varying', join(capture, 'selfcheck.json')] : [];
  return ['--capture', capture, '--store', join(folder, '.kernloop', 'store'), '--compare', ...varying];
}
