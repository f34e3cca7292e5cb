// Kernels that a loop repeats (e2e/fixtures/repeats): overwritten bytes found by the self-check, the untouched code, a
// variant that does nothing, wrong and right edits, and 200 flipped bits in each, on an NVIDIA GPU or the software GPU.
//   node bench/gpu-repeats.mjs [cuda|softgpu]
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { conclude, inParallel, kernloop, must, native, root, run, workspace } from './gpu/host.mjs';
import { edits, kernels } from './gpu/repeats.mjs';

const device = process.argv[2] ?? 'cuda';
const isCuda = device === 'cuda';
const folder = workspace([]);
const build = join(folder, 'build');
mkdirSync(build, { recursive: true });
const source = readFileSync(join(root, 'e2e', 'fixtures', 'repeats', 'repeats.hip'), 'utf8');
const arch = isCuda ? (process.env.KERNLOOP_BENCH_ARCH ?? 'sm_90') : 'gfx90a';
const environment = isCuda ? {} : { HIP_PLATFORM: 'amd', KERNLOOP_SOFTGPU: arch };
const suffix = isCuda ? 'cubin' : 'hsaco';
const compiler = (output, input, whole) =>
  isCuda
    ? ['nvcc', ['-x', 'cu', '-O2', `-arch=${arch}`, ...(whole ? [] : ['-cubin']), '-o', output, input], {}]
    : [
        'hipcc',
        ['-x', 'hip', '-O2', `--offload-arch=${arch}`, ...(whole ? [] : ['--genco']), '-o', output, input],
        { env: { ...process.env, ...environment } },
      ];

/** The source with one text in one kernel's body replaced. */
function edited(kernel, from, to) {
  const begin = source.indexOf(`__global__ void ${kernel}(`);
  const end = source.indexOf('\n}\n', begin);
  const body = source.slice(begin, end);
  if (body.split(from).length !== 2) throw new Error(`${kernel}: "${from}" is not there once`);
  return source.slice(0, begin) + body.replace(from, to) + source.slice(end);
}

const sources = [
  ['nothing', source.replace(/^(__global__ void \w+\(.*\) \{)$/gm, '$1 return;')],
  ...edits.map(({ kernel, from, to }, index) => [`edit${index}`, edited(kernel, from, to)]),
];
const file = (name) => join(build, `${name}.${isCuda ? 'cu' : 'hip'}`);
const compiled = (name) => join(build, `${name}.${suffix}`);
for (const [name, text] of [['repeats', source], ...sources]) writeFileSync(file(name), text);
const builds = await inParallel(Math.min(cpus().length, 16), [
  compiler(join(build, 'repeats'), file('repeats'), true),
  ...sources.map(([name]) => compiler(compiled(name), file(name), false)),
]);
for (const ended of builds) must(ended, 'the compiler');

const app = join(folder, 'apps', 'repeats');
mkdirSync(app, { recursive: true });
writeFileSync(
  join(app, 'kernloop.json'),
  JSON.stringify({
    name: 'repeats',
    device,
    command: [join(build, 'repeats')],
    env: environment,
    kernels: Object.keys(kernels).map((name) => ({ name, match: `^${name}\\(`, ordinal: 2 })),
  }),
);
const captured = kernloop(['capture', '--app', app], { cwd: folder, env: environment, limitSeconds: 280 });
must(captured, 'kernloop capture');

const reproducer = (name) => join(folder, 'kernels', 'repeats', name);
const json = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'));
for (const name of Object.keys(kernels)) {
  const capture = json(reproducer(name), 'capture', 'capture.json');
  writeFileSync(
    join(reproducer(name), 'kernel.json'),
    JSON.stringify({
      name,
      app: { name: 'repeats', root: '../../../apps/repeats' },
      symbol: capture.kernel.symbol,
      demangled: capture.kernel.name,
      code_object: capture.kernel.code_object,
      device: { kind: device, isa: capture.device.isa },
      selection: { match: `^${name}\\(`, ordinal: 2, scope: 'reachable' },
      language: isCuda ? 'cuda' : 'hip',
      source: { file: 'none', line: 1, translation_unit: 'none', variant: 'none' },
      args: [],
    }),
  );
}

const bytesOf = (rows) => rows.reduce((sum, { bytes, count = 1 }) => sum + bytes * count, 0);
const validate = (name, variant) => {
  const ended = kernloop(['validate', reproducer(name), '--variant', variant], { cwd: folder, env: environment });
  const line = ended.stdout.split('\n').findLast((each) => each.startsWith('Result: ')) ?? ended.text.slice(-300);
  return { verdict: /^Result: (\w+)/.exec(line)?.[1] ?? 'none', line };
};
const flips = (name) => {
  const capture = join(reproducer(name), 'capture');
  const hsa = isCuda ? [] : ['--seed', '7'];
  const args = ['--capture', capture, '--compare', '--overwritten', join(capture, 'selfcheck.json')];
  const ended = run(join(native, 'bin', 'kernloop-replay'), [
    ...args,
    ...['--fills', 'captured,huge,opposite,zeros', '--inject-bit-flips', '200', ...hsa],
  ]);
  return ended.stdout
    .split('\n')
    .filter((line) => line.includes('"injection"'))
    .map((line) => JSON.parse(line))[0];
};

let wrong = 0;
const rows = [];
const row = (fields, isRight) => {
  if (!isRight) wrong += 1;
  rows.push({ ...fields, is_right: isRight });
  console.log(`${isRight ? 'ok   ' : 'WRONG'} ${Object.values(fields).join('  ').slice(0, 230)}`);
};
for (const [name, expected] of Object.entries(kernels)) {
  const selfcheck = json(reproducer(name), 'capture', 'selfcheck.json');
  const found = bytesOf(selfcheck.overwritten ?? []);
  const wanted = expected.overwritten[isCuda ? 1 : 0] ?? expected.overwritten[0];
  const untouched = validate(name, 'none');
  const nothing = validate(name, compiled('nothing'));
  const passes = found > 0 || expected.changes ? 'PASS' : 'VACUOUS';
  const fails = passes === 'PASS' ? 'FAIL' : 'VACUOUS';
  row(
    {
      name,
      selfcheck: selfcheck.verdict,
      overwritten: found,
      wanted,
      untouched: untouched.verdict,
      nothing: nothing.verdict,
    },
    found === wanted && untouched.verdict === passes && nothing.verdict === fails,
  );
  if (found === 0) continue;
  const { flips: count = 0, detected = 0, overwritten = 0 } = flips(name) ?? {};
  row(
    { name, flips: count, detected, in_overwritten: overwritten },
    count === 200 && detected === 200 && overwritten > 40,
  );
}
for (const [index, { kernel, what, verdicts }] of edits.entries()) {
  const verdict = verdicts[isCuda ? 1 : 0] ?? verdicts[0];
  const given = validate(kernel, compiled(`edit${index}`));
  row({ kernel, what, verdict: given.verdict, wanted: verdict, line: given.line }, given.verdict === verdict);
}
conclude(
  'gpu-repeats',
  { device, arch, rows, wrong },
  [
    ['rows', 'wrong'],
    [rows.length, wrong],
  ],
  wrong === 0,
);
