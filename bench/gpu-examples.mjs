// Every CUDA example on this machine's GPU: captured, self-checked, replayed in 20 fresh processes, validated; a variant that does nothing
// and one that is off by one unit in the last place are caught.
//   node bench/gpu-examples.mjs [app[/kernel]…]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, inParallel, kernloop, kernloopJson, native, run, workspace } from './gpu/host.mjs';
import { doNothing, hasUlpVariant, oneUlpWrong, writeEmptyKernel } from './gpu/variants.mjs';

const replays = 20;
const wanted = process.argv.slice(2);
const apps = ['cuda-batched-scale', 'cuda-pipeline', 'cupy-kernels', 'pytorch-ops'].filter(
  (app) => wanted.length === 0 || wanted.some((word) => word.split('/')[0] === app),
);
const folder = workspace(apps);
const failures = [];
const records = [];

const readJson = (...path) => JSON.parse(readFileSync(join(folder, ...path), 'utf8'));
function note(kernel, step, ended) {
  failures.push({ kernel, step, exit: ended.code, output: ended.text.slice(-1500) });
}

for (const app of apps) {
  const { kernels } = readJson('apps', app, 'kernloop.json');
  const names = kernels
    .map(({ name }) => name)
    .filter((name) => wanted.length === 0 || wanted.includes(app) || wanted.includes(`${app}/${name}`));
  const extracted = kernloop(['extract', ...names, '--app', join('apps', app)], { cwd: folder, limitSeconds: 500 });
  process.stderr.write(`${app}: extract ${extracted.code} in ${extracted.seconds.toFixed(1)} s\n`);
  if (extracted.code !== 0) note(app, 'extract', extracted);
  for (const name of names) records.push(await examine(app, name));
}

async function examine(app, name) {
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
    return record;
  }
  const command = [join(native, 'bin', 'kernloop-replay'), replayArguments(reproducer, record)];
  for (const ended of await inParallel(10, Array(replays).fill(command))) {
    record.replays += ended.code === 0 ? 1 : 0;
    record.address_failures += /ADDRESS_TAKEN/.test(ended.text) ? 1 : 0;
    if (ended.code !== 0) note(name, 'replay', ended);
  }
  const validate = (...extra) => kernloopJson(['validate', '--reproducer', reproducer, ...extra], { cwd: folder });
  const verdict = (ended) => ended.result?.verdict ?? `exit ${ended.code}`;
  const plain = validate('--variant', 'none');
  record.validate = verdict(plain);
  if (record.validate !== 'pass') note(name, 'validate', plain);
  if (readJson(reproducer, 'kernel.json').language === 'none') {
    const target = /sm_\d+a?/.exec(capture.device.isa)?.[0] ?? 'sm_90';
    const source = writeEmptyKernel(capture, target, join(folder, reproducer, 'build'));
    const cubin = source.replace(/cu$/, 'cubin');
    const built = run('nvcc', ['-cubin', `-arch=${target}`, '-o', cubin, source]);
    if (built.code !== 0) note(name, 'empty kernel', built);
    const ended = validate('--variant', cubin);
    record.do_nothing = verdict(ended);
    if (record.do_nothing !== 'fail') note(name, 'do-nothing', ended);
    return record;
  }
  record.rebuilt = rebuildAndValidate(name, reproducer, validate, verdict);
  record.do_nothing = withEdit(doNothing, name, reproducer, () => verdict(validate()));
  if (hasUlpVariant(name)) {
    withEdit(oneUlpWrong, name, reproducer, () => {
      record.one_ulp = verdict(validate());
      record.one_ulp_tolerated = verdict(validate('--ulp', '1', '--dtype', name === 'axpby' ? 'f64' : 'f32'));
    });
  }
  return record;
}

/** Every one compares device memory with what the app computed. */
function replayArguments(reproducer, { selfcheck }) {
  const capture = join(folder, reproducer, 'capture');
  const varying = selfcheck === 'nondeterministic' ? ['--known-varying', join(capture, 'selfcheck.json')] : [];
  return ['--capture', capture, '--store', join(folder, '.kernloop', 'store'), '--compare', ...varying];
}

function recompile(name, reproducer) {
  const built = kernloop(['recompile', '--reproducer', reproducer], { cwd: folder });
  if (built.code !== 0) note(name, 'recompile', built);
  return built.code === 0;
}

function rebuildAndValidate(name, reproducer, validate, verdict) {
  return recompile(name, reproducer) ? verdict(validate()) : 'no build';
}

function withEdit(edit, name, reproducer, judge) {
  const edited = edit(join(folder, reproducer), name);
  try {
    if (edited.changed === 0) return 'no edit';
    return recompile(name, reproducer) ? judge() : 'no build';
  } finally {
    edited.restore();
  }
}

const good = (record) =>
  ['verified', 'nondeterministic'].includes(record.selfcheck) &&
  record.replays === replays &&
  record.validate === 'pass' &&
  record.do_nothing === 'fail' &&
  (record.rebuilt === undefined || record.rebuilt === 'pass') &&
  (record.one_ulp === '-' || (record.one_ulp === 'fail' && record.one_ulp_tolerated === 'pass'));
conclude(
  'gpu-examples',
  { records, failures },
  [
    ['app', 'kernel', 'self-check', 'replays', 'validate', 'rebuilt', 'do-nothing', 'one ULP', 'with --ulp 1'],
    ...records.map((r) => [
      r.app,
      r.kernel,
      r.selfcheck,
      `${r.replays}/${replays}`,
      r.validate,
      r.rebuilt ?? '-',
      r.do_nothing,
      r.one_ulp,
      r.one_ulp_tolerated,
    ]),
  ],
  records.length > 0 && records.every(good),
);
