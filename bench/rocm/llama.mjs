// The page docs/llama-cpp.md, typed in a root of Debian unstable.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root as checkout, runMain, StepError } from '../../tools/console.mjs';
import { python, pythonEnvironment } from '../../tools/python.mjs';
import { addEmulatedDriver } from './suites/emulated_driver.mjs';
import { ended, enter, installSuite, makeRoot, mirrorOf, requireRoot, rocmVersions, stopAll } from './suites/roots.mjs';

const require = createRequire(import.meta.url);
require('../../bin/source.js');
const { commandsOf, fencesOf, missingLine, promisedCode } = require('../../lib/testing/page-commands.ts');

const help = `sudo node bench/rocm/llama.mjs FOLDER [options]

Types the commands of docs/llama-cpp.md in a root of Debian unstable, which is made in FOLDER and kept, with Debian's llama.cpp and a model
with random weights, and compares what the page shows. The source of ggml comes from PyPI, in the sdist of llama_cpp_python: Debian's
mirrors do not keep the sources of every version. Then llama.cpp and its kernels run once more on the unmodified ROCr of that release, over the emulated kernel
driver that this checkout has built with its native tests.

  --kernloop FOLDER   an installed Kernloop (node e2e/install.cjs FOLDER); without it, this checkout is packed and installed
  --mirror URL        Debian's mirror (that of this machine's apt sources)
`;

const page = 'docs/llama-cpp.md';
const packages = [
  ...['llama\\.cpp', 'libggml[0-9]+-backend-hip', 'python3-gguf', 'nodejs', 'hipcc', 'libamdhip64-dev'],
  ...['libhipblas-dev', 'librocblas-dev'],
];
const sdist = 'llama_cpp_python==0.3.36';

function bringSource(folder) {
  const kept = join(folder, 'ggml');
  if (existsSync(kept)) return kept;
  const download = join(folder, 'download');
  const pip = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--no-binary', ':all:', '--dest', download, sdist];
  const { status, stderr } = spawnSync(python, pip, { env: { ...process.env, ...pythonEnvironment } });
  if (status !== 0) throw new StepError(`pip download ${sdist} failed:\n${stderr}`, 'npm run setup makes python/.venv');
  const [archive] = readdirSync(download);
  const name = archive.replace(/\.tar\.gz$/, '');
  const inside = ['include', 'src'].map((one) => `${name}/vendor/llama.cpp/ggml/${one}`);
  const into = join(folder, 'ggml.partial');
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into);
  const untar = spawnSync('tar', ['-xzf', join(download, archive), '-C', into, '--strip-components=4', ...inside]);
  if (untar.status !== 0) throw new StepError(`${archive}: ${untar.stderr}`, 'look at the archive');
  renameSync(into, kept);
  return kept;
}

/** Types the page as a reader does. Returns whether each command ended as shown. */
async function type(run, outside) {
  const asShown = [];
  const fences = fencesOf(readFileSync(join(checkout, page), 'utf8'));
  for (const { language, attribute, content } of fences) {
    if (language === 'diff' && attribute !== '') {
      const [gone, come] = ['-', '+'].map((sign) =>
        content.split('\n').flatMap((line) => (line.startsWith(sign) ? [line.slice(1)] : [])),
      );
      const file = join(outside, attribute);
      const before = readFileSync(file, 'utf8');
      const after = gone.reduce((text, line, index) => text.replace(line, () => come[index]), before);
      if (after === before)
        throw new StepError(`${page}: ${attribute} has none of ${gone.join(' / ')}`, 'mend the page');
      writeFileSync(file, after);
    }
    if (language === 'json' && attribute !== '') writeFileSync(join(outside, attribute), content);
    if (language !== 'sh' || attribute !== 'needs=debian-unstable') continue;
    for (const { text, output } of commandsOf(content)) {
      const got = await ended(run(text));
      const promised = promisedCode(output, () => -1);
      const missing = missingLine(output, got.text);
      const lacks = missing === undefined ? '' : `lacks: ${missing}\n`;
      const isRight = got.code === promised && missing === undefined;
      const said = isRight ? 'ok' : `NOT as shown, ${lacks}ended with ${got.code}, not ${promised}:\n${got.text}`;
      console.log(`${text}: ${said}`);
      asShown.push(isRight);
    }
  }
  return asShown;
}

/** Generates tokens with some layers on the GPU. They are bytes that need not be characters. */
const tokens = (layers) =>
  `llama-completion -m tiny.gguf -ngl ${layers} -n 8 -p Hello -no-cnv --temp 0 --no-warmup 2>/dev/null | od -An -tx1`;

/** The same on the release's own ROCr. Returns whether each step went well. */
async function onRocr(run, outside) {
  const settings = join(outside, 'kernloop.json');
  const config = JSON.parse(readFileSync(settings, 'utf8'));
  writeFileSync(settings, JSON.stringify({ ...config, device: 'hsa' }));
  for (const made of ['kernels', '.kernloop']) rmSync(join(outside, made), { recursive: true, force: true });
  const asMust = [];
  const step = async (line, isRight) => {
    const got = await ended(run(line));
    asMust.push(got.code === 0 && isRight(got));
    console.log(`on ROCr: ${line}: ${asMust.at(-1) ? 'ok' : `NOT as it must, ended with ${got.code}:\n${got.text}`}`);
    return got;
  };
  const preload = 'LD_PRELOAD=/kernloop/node_modules/@kernloop/native-linux-x64/lib/kfd/libkernloop-kfd.so';
  const { text: ofCpu } = await step(tokens(0), ({ text }) => text.startsWith(' 20 48 65 6c 6c 6f '));
  await step(`${preload} ${tokens(99)}`, ({ text }) => text === ofCpu);
  await step('kernloop profile', ({ text }) => text.includes('mul_mat_vec_q'));
  await step('kernloop extract', ({ text }) => text.match(/ verified /g)?.length === config.kernels.length);
  for (const { name } of config.kernels)
    await step(`kernloop validate kernels/llama/${name} --variant none`, ({ text }) => text.includes('Result: PASS ('));
  return asMust;
}

await runMain(async () => {
  const text = { type: 'string' };
  const { values, positionals } = parseArgs({
    options: { help: { type: 'boolean' }, kernloop: text, mirror: text },
    allowPositionals: true,
  });
  if (values.help) return void process.stdout.write(help);
  if (positionals.length !== 1) throw new StepError('one FOLDER is wanted', 'node bench/rocm/llama.mjs --help', 2);
  requireRoot();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => (stopAll(), process.exit(130)));
  const folder = resolve(positionals[0]);
  const kernloop = values.kernloop ? resolve(values.kernloop) : join(folder, 'kernloop');
  if (!existsSync(join(kernloop, 'node_modules'))) await require(join(checkout, 'e2e/install.cjs')).install(kernloop);
  const root = await makeRoot(folder, 'sid', values.mirror ?? mirrorOf());
  const installed = await installSuite(folder, 'llama', packages);
  if (installed.missing) throw new StepError(installed.missing, 'look at the mirror', 5);

  const outside = join(root, 'llama');
  rmSync(outside, { recursive: true, force: true });
  mkdirSync(join(outside, 'ggml'), { recursive: true });
  cpSync(bringSource(folder), join(outside, 'ggml'), { recursive: true });
  cpSync(join(checkout, 'bench/rocm/llama/tiny_model.py'), join(outside, 'tiny_model.py'));
  writeFileSync(join(outside, 'package.json'), '{}\n');
  const run = (line, env) =>
    enter(root, ['bash', '-c', `cd /llama && npx() { "$@"; } && PATH=/kernloop/node_modules/.bin:$PATH && ${line}`], {
      mounts: [[kernloop, '/kernloop', 'ro']],
      merged: true,
      env,
    });
  const asShown = await type(run, outside);
  addEmulatedDriver(kernloop);
  const rocr = { KERNLOOP_SOFTGPU_LEVEL: 'kfd', KERNLOOP_SOFTGPU: 'gfx90a', KERNLOOP_SOFTGPU_LINUX: '6.12' };
  const asMust = await onRocr((line) => run(line, rocr), outside);
  const wrong = asShown.filter((isRight) => !isRight).length;
  const versions = Object.entries({ ...installed.packages, ...(await rocmVersions(root)) });
  console.log(`\n${versions.map((pair) => pair.join(' ')).join(', ')}`);
  console.log(`${asShown.length} commands, ${wrong} not as the page shows`);
  const failed = asMust.filter((isRight) => !isRight).length;
  console.log(`${asMust.length} steps on ROCr, ${failed} not as they must`);
  if (asShown.length === 0) throw new StepError(`${page} has no command`, 'mend the page', 1);
  return wrong + failed > 0 ? 1 : 0;
});
