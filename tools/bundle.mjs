// `npm run bundle [-- OUT.tar.xz] [-- --packages FOLDER]`: one archive with Node, the command line and the native
// programs, for a GPU host with neither Node nor a network. There: tar xf OUT.tar.xz && OUT/bin/kernloop doctor.
// --packages takes existing npm packages. A name that ends in .tar leaves the archive uncompressed.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { root, runMain, step, StepError } from './console.mjs';
import { makePackages } from './packages/make.mjs';
import { platform, version } from './packages/manifests.mjs';
import { startRegistry } from './packages/registry.mjs';

const name = `kernloop-${version}-${platform}`;
export const archiveName = `${name}.tar.xz`;

const launcher = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
exec "$here/../runtime/node" "$here/../node_modules/kernloop/bin/kernloop.js" "$@"
`;

const readme = `Kernloop ${version} for Linux x86-64, with its own Node runtime: nothing to install, no network.

  bin/kernloop doctor                       what this machine has, and what is missing
  bin/kernloop profile --app DIR            DIR holds a kernloop.json; see examples/
  runtime/node bench/gpu-examples.mjs       every example on this machine's GPU, as a table
  runtime/node bench/gpu-triton.mjs         Triton's kernels there, on tensors of PyTorch
`;

/** Installs the packages like npm does, with dependencies in the tested versions. */
async function installPackages(stage, tarballs) {
  const registry = await startRegistry(dirname(tarballs[0]));
  try {
    writeFileSync(join(stage, 'package.json'), '{ "private": true }\n');
    const options = [
      '--omit=dev',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--no-update-notifier',
      '--loglevel=warn',
    ];
    const cache = join(dirname(stage), 'npm-cache');
    await step(
      'install',
      'npm',
      ['install', ...options, `--registry=${registry.address}`, `--cache=${cache}`, `kernloop@${version}`],
      {
        cwd: stage,
      },
    );
    for (const file of ['package.json', 'package-lock.json']) rmSync(join(stage, file), { force: true });
  } finally {
    registry.close();
  }
}

async function stageBundle(stage, tarballs) {
  mkdirSync(join(stage, 'bin'), { recursive: true });
  mkdirSync(join(stage, 'runtime'), { recursive: true });
  await installPackages(stage, tarballs);
  cpSync(process.execPath, join(stage, 'runtime', 'node'), { dereference: true });
  writeFileSync(join(stage, 'bin', 'kernloop'), launcher);
  chmodSync(join(stage, 'bin', 'kernloop'), 0o755);
  writeFileSync(join(stage, 'README.txt'), readme);
  cpSync(join(root, 'LICENSE'), join(stage, 'LICENSE'));
  for (const folder of ['examples', 'bench']) {
    const files = spawnSync('git', ['ls-files', '-co', '--exclude-standard', folder], { cwd: root, encoding: 'utf8' });
    if (files.status !== 0) throw new StepError(`git cannot list ${folder}`, 'run this in a checkout of kernloop');
    for (const file of files.stdout.split('\n').filter(Boolean)) cpSync(join(root, file), join(stage, file));
  }
}

/** Makes the archive from the tarballs of makePackages(). */
export async function makeBundle(out, tarballs) {
  const compression = out.endsWith('.tar') ? [] : ['--xz'];
  const scratch = mkdtempSync(join(tmpdir(), 'kernloop-bundle-'));
  try {
    await stageBundle(join(scratch, name), tarballs);
    mkdirSync(dirname(out), { recursive: true });
    await step(
      'pack the archive',
      'tar',
      ['-C', scratch, '--owner=0', '--group=0', ...compression, '-cf', `${out}.partial`, name],
      {
        env: { XZ_OPT: process.env.XZ_OPT ?? '-T0 -3' },
      },
    );
    renameSync(`${out}.partial`, out);
    return out;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
    rmSync(`${out}.partial`, { force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runMain(async () => {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { packages: { type: 'string' } } });
    const out = resolve(positionals[0] ?? archiveName);
    if (values.packages !== undefined) {
      const made = resolve(values.packages);
      const tarballs = readdirSync(made).filter((file) => file.endsWith('.tgz'));
      if (tarballs.length === 0) throw new StepError(`no packages are in ${made}`, 'npm run package -- --only npm');
      await makeBundle(
        out,
        tarballs.map((file) => join(made, file)),
      );
    } else {
      const packages = mkdtempSync(join(tmpdir(), 'kernloop-packages-'));
      try {
        await makeBundle(out, await makePackages(packages));
      } finally {
        rmSync(packages, { recursive: true, force: true });
      }
    }
    process.stdout.write(`${basename(out)}: ${(statSync(out).size / 2 ** 20).toFixed(1)} MiB\n`);
  });
}
