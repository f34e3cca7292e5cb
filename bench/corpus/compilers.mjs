// The compilers of the software GPU's corpus.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const corpus = join(root, 'native', 'softgpu', 'corpus');

function run(file, args) {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, HIP_PLATFORM: 'amd' };
    const child = spawn(file, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let text = '';
    child.stderr.on('data', (data) => (text += data));
    child.on('error', (error) => reject(new Error(`${file} cannot be run (${error.message})`)));
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${file} ${args.join(' ')}: ${text.slice(0, 800)}`)),
    );
  });
}

const sourceOf = (theme) => join(corpus, 'kernels', `${theme}.hip`);

const hipcc = (target, level, theme, object) =>
  run('hipcc', ['--genco', `-O${level}`, `--offload-arch=${target}`, '-std=c++17', sourceOf(theme), '-o', object]);

const deviceLibraries = '/usr/lib/x86_64-linux-gnu/amdgcn/bitcode';

/** Targets that ROCm 5.2 does not know get another target's constants: gfx940 is the earlier stepping of gfx942, gfx1030 has gfx1100's sizes of waves. */
const constantsOf = { gfx942: '940', gfx1100: '1030' };

function librariesFor(target, folder) {
  const constants = constantsOf[target];
  if (!constants) return deviceLibraries;
  const own = join(folder, 'device-libraries');
  try {
    mkdirSync(own);
  } catch (error) {
    if (error.code === 'EEXIST') return own;
    throw error;
  }
  for (const file of readdirSync(deviceLibraries)) symlinkSync(join(deviceLibraries, file), join(own, file));
  symlinkSync(
    join(deviceLibraries, `oclc_isa_version_${constants}.bc`),
    join(own, `oclc_isa_version_${target.slice(3)}.bc`),
  );
  return own;
}

/**
 * In two steps: newer compilers keep `hidden_default_queue` among a kernel's hidden arguments where they cannot see that no call uses
 * it, and HIP 5.2.3 ends with a segmentation fault on that. Nothing here enqueues from the device, and the attributes say so.
 */
async function clang22(target, level, theme, object) {
  const wave = target.startsWith('gfx1') ? 32 : 64;
  const assembly = `${object}.ll`;
  await run('clang++-22', [
    ...['-x', 'hip', '--cuda-device-only', '--no-gpu-bundle-output', '-emit-llvm', '-S', '-std=c++17', `-O${level}`],
    ...[
      `--offload-arch=${target}`,
      '-mcode-object-version=4',
      '-include',
      join(corpus, 'clang22.h'),
      '-Wno-everything',
    ],
    ...[`-D__AMDGCN_WAVEFRONT_SIZE=${wave}`, `-D__AMDGCN_WAVEFRONT_SIZE__=${wave}`],
    ...['--rocm-path=/usr', `--rocm-device-lib-path=${librariesFor(target, dirname(object))}`],
    ...[sourceOf(theme), '-o', assembly],
  ]);
  const attributes = '"amdgpu-no-default-queue" "amdgpu-no-completion-action"';
  writeFileSync(assembly, readFileSync(assembly, 'utf8').replaceAll(/^(attributes #\d+ = \{)/gm, `$1 ${attributes}`));
  await run('clang-22', [
    ...['-x', 'ir', '--target=amdgcn-amd-amdhsa', `-mcpu=${target}`, `-O${level}`, '-Xclang', '-disable-llvm-passes'],
    ...['-nogpulib', '-mcode-object-version=4', '-Wno-everything', assembly, '-o', object],
  ]);
}

const compilers = { hipcc, 'clang-22': clang22 };

/** Builds the code object of a theme. Rejects with what the compiler said. */
export const compile = (compiler, target, level, theme, object) => compilers[compiler](target, level, theme, object);

export function versionOf(compiler) {
  const file = { hipcc: 'hipcc', 'clang-22': 'clang++-22' }[compiler];
  const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8', env: { ...process.env, HIP_PLATFORM: 'amd' } });
  return /clang version \S+/.exec(stdout ?? '')?.[0];
}
