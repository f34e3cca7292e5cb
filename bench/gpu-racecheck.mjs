// validate --racecheck on this machine's GPU: kernels with one barrier removed at a time, and the untouched ones.
//   node bench/gpu-racecheck.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { conclude, kernloop, kernloopJson, must, rounded, workspace } from './gpu/host.mjs';

const folder = workspace(['cuda-pipeline']);
const app = join(folder, 'apps', 'cuda-pipeline');
// A product of 1024 x 1024 matrices, with billions of accesses to shared memory, takes minutes under racecheck.
const main = join(app, 'main.cu');
const large = 'kMatrix = 1024;';
const text = readFileSync(main, 'utf8');
if (!text.includes(large)) throw new Error(`${main} has no ${large}`);
writeFileSync(main, text.replace(large, 'kMatrix = 128;'));
must(kernloop(['extract', '--app', app], { cwd: folder, limitSeconds: 500 }), 'extract');

const judge = (reproducer, ...flags) => {
  const {
    result,
    text: said,
    seconds,
  } = kernloopJson(['validate', '--reproducer', reproducer, ...flags], {
    cwd: folder,
    limitSeconds: 150,
  });
  const found = (result?.sanitizer ?? []).flatMap(({ findings }) => findings.map(({ kind }) => kind));
  const verdict = result?.verdict ?? /"code": ?"(\w+)"/.exec(said)?.[1] ?? said.slice(-300);
  console.log(
    JSON.stringify({ reproducer: basename(reproducer), flags, verdict, found, seconds: rounded(seconds, 1) }),
  );
  return { verdict, found, seconds: rounded(seconds, 1) };
};

const records = [];
for (const kernel of ['softmax_rows', 'matmul_tiled']) {
  const reproducer = join(folder, 'kernels', 'cuda-pipeline', kernel);
  const file = join(reproducer, 'kernel_variant.cu');
  const original = readFileSync(file, 'utf8');
  const barriers = original.split('__syncthreads();').length - 1;
  for (let without = -1; without < barriers; without += 1) {
    let index = 0;
    writeFileSync(
      file,
      original.replaceAll('__syncthreads();', (barrier) => (index++ === without ? '' : barrier)),
    );
    must(kernloop(['recompile', '--reproducer', reproducer], { cwd: folder }), 'recompile');
    records.push({
      kernel,
      without: without < 0 ? 'nothing' : `barrier ${without + 1} of ${barriers}`,
      plain: judge(reproducer).verdict,
      racecheck: judge(reproducer, '--racecheck'),
      initcheck: without < 0 ? judge(reproducer, '--initcheck') : null,
      memcheck: without < 0 ? judge(reproducer, '--memcheck') : null,
    });
  }
  writeFileSync(file, original);
}

const shown = (judged) => (judged ? `${judged.verdict}${judged.found.length > 0 ? `: ${judged.found}` : ''}` : '');
conclude(
  'gpu-racecheck',
  { records },
  [
    ['kernel', 'without', 'validate', '--racecheck', '--initcheck', '--memcheck'],
    ...records.map((r) => [r.kernel, r.without, r.plain, shown(r.racecheck), shown(r.initcheck), shown(r.memcheck)]),
  ],
  records
    .filter(({ without }) => without === 'nothing')
    .every((r) => [r.racecheck, r.initcheck, r.memcheck].every(({ verdict }) => verdict === 'pass')) &&
    records.some(({ without, racecheck }) => without !== 'nothing' && racecheck.found.length > 0),
);
