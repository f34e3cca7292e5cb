// Results that depend on the order of blocks, on this machine's GPU: each kernel of e2e/fixtures/ranges is captured, its untouched code is
// replayed in fresh processes and judged by the capture's self-check, and wrong edits of it must not pass.
//   node bench/gpu-ranges.mjs [validates=1000] [captures=3]
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, inParallel, kernloopJson, must, native, root, run, workspace } from './gpu/host.mjs';

const validates = Number(process.argv[2] ?? 1000);
const captures = Number(process.argv[3] ?? 3);
const folder = workspace([]);
const text = readFileSync(join(root, 'e2e', 'fixtures', 'ranges', 'ranges.hip'), 'utf8');
const source = join(folder, 'ranges.cu');
const program = join(folder, 'ranges');
writeFileSync(source, text);
const capability = run('nvidia-smi', ['--query-gpu=compute_cap', '--format=csv,noheader']).stdout.split('\n')[0];
const arch = `-arch=sm_${(capability || '9.0').trim().replace('.', '')}`;
must(run('nvcc', [arch, '-O2', '-o', program, source]), 'nvcc');

const add = (addend) => `atomicAdd(&sums[i % bins], ${addend});`;
const wrongSums = (addend, other) => [
  [add(addend), add(other), 'fail'],
  [add(addend), `if (i % 64 != 63) ${add(addend)}`, 'fail'],
  [add(addend), `if (false) ${add(addend)}`, 'fail'],
];
/** Expected verdicts of the untouched code, and of edits of it. */
const kernels = [
  { mode: 'sums', kernel: 'bin_sums', verdict: 'pass', wrong: wrongSums('x[i]', '1.001f * x[i]') },
  { mode: 'cancelling', kernel: 'cancelling_sums', verdict: 'pass', wrong: wrongSums('y[i]', 'y[i] + 1e-2f') },
  {
    mode: 'list',
    kernel: 'push_all',
    verdict: 'vacuous',
    wrong: [['next[i] = atomicExch(head, i);', 'next[i] = i;', 'vacuous']],
  },
  {
    mode: 'nodes',
    kernel: 'push_nodes',
    verdict: 'pass',
    wrong: [['twice[i] = 2.0f * x[i];', 'twice[i] = 2.0001f * x[i];', 'fail']],
  },
];

const verdictOf = (ended) => /"event":"result".*?"verdict":"(\w+)"/.exec(ended.text)?.[1] ?? `exit ${ended.code}`;
const countOf = (verdicts) =>
  Object.fromEntries(
    [...new Set(verdicts)].map((verdict) => [verdict, verdicts.filter((one) => one === verdict).length]),
  );

const records = [];
for (const { mode, kernel, verdict, wrong } of kernels) {
  for (let index = 0; index < captures; index += 1) {
    const name = `${mode}-${index}`;
    mkdirSync(join(folder, 'apps', name), { recursive: true });
    writeFileSync(
      join(folder, 'apps', name, 'kernloop.json'),
      JSON.stringify({ name, device: 'cuda', command: [program, mode], kernels: [{ name: kernel, match: kernel }] }),
    );
    const taken = kernloopJson(['capture', '--app', join('apps', name)], { cwd: folder });
    const capture = join(folder, 'kernels', name, kernel, 'capture');
    const record = {
      mode,
      capture: index,
      selfcheck: `exit ${taken.code}`,
      replays: 0,
      seconds: taken.seconds,
      validates: {},
      wrong: [],
    };
    records.push(record);
    if (taken.code !== 0) {
      record.output = taken.text.slice(-1500);
      continue;
    }
    const selfcheck = JSON.parse(readFileSync(join(capture, 'selfcheck.json'), 'utf8'));
    record.selfcheck = selfcheck.verdict;
    record.replays = selfcheck.calibration?.replays ?? 0;
    const replay = (poison, ...extra) => [
      join(native, 'bin', 'kernloop-replay'),
      [
        ...[
          '--capture',
          capture,
          '--store',
          join(folder, '.kernloop', 'store'),
          '--compare',
          '--poison',
          poison,
          '--limit-seconds',
          '60',
        ],
        ...(selfcheck.varying.length > 0 ? ['--known-varying', join(capture, 'selfcheck.json')] : []),
        ...extra,
      ],
    ];
    // Replays like validate: in a fresh process under each of two patterns.
    const share = Math.ceil((2 * validates) / captures);
    const ended = await inParallel(
      12,
      Array.from({ length: share }, (_, i) => replay(i % 2 ? '0xA5' : '0x5A')),
    );
    record.validates = countOf(ended.map(verdictOf));
    record.ok = Object.keys(record.validates).join() === verdict;
    console.log(JSON.stringify(record));
    for (const [from, to, expected] of wrong) {
      const variant = join(folder, `${name}-${record.wrong.length}`);
      writeFileSync(`${variant}.cu`, text.replace(from, to));
      must(run('nvcc', ['-cubin', arch, '-O2', '-o', `${variant}.cubin`, `${variant}.cu`]), 'nvcc');
      const verdicts = (await inParallel(8, Array(8).fill(replay('0xA5', '--code-object', `${variant}.cubin`)))).map(
        verdictOf,
      );
      record.wrong.push({ edit: to, verdicts: countOf(verdicts) });
      record.ok = record.ok && verdicts.every((one) => one === expected);
    }
  }
}

conclude(
  'gpu-ranges',
  { validates, records },
  [
    ['kernel', 'self-check', 'calibrated by', 'replays of untouched code', 'wrong edits'],
    ...records.map((r) => [
      `${r.mode} ${r.capture}`,
      r.selfcheck,
      r.replays,
      JSON.stringify(r.validates),
      r.wrong.map(({ verdicts }) => JSON.stringify(verdicts)).join(' '),
    ]),
  ],
  records.every(({ ok }) => ok),
);
