// validate --racecheck on this machine's GPU: kernels whose barriers are removed, one at a time, and the untouched ones.
//   node bench/gpu-racecheck.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, kernloop, kernloopJson, must, workspace } from './gpu/host.mjs';

const folder = workspace(['cuda-pipeline']);
const app = join(folder, 'apps', 'cuda-pipeline');
must(kernloop(['extract', '--app', app], { cwd: folder, limitSeconds: 500 }), 'extract');

const judge = (reproducer, ...flags) => {
  const { result, text } = kernloopJson(['validate', '--reproducer', reproducer, ...flags], {
    cwd: folder,
    limitSeconds: 500,
  });
  const found = (result?.sanitizer ?? []).flatMap(({ findings }) => findings.map(({ kind }) => kind));
  return { verdict: result?.verdict ?? /"code": ?"(\w+)"/.exec(text)?.[1] ?? text.slice(-300), found };
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
