// `npm run bundle [OUT.tar.xz]`: one archive with Node, the command line and the native programs, for a GPU host that has neither Node
// nor a network. There:  tar xf OUT.tar.xz && OUT/bin/kernloop doctor
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { root, runMain, step, StepError } from './console.mjs';
import { isForEveryProcessor } from './native.mjs';

/** Ubuntu 22.04's; what needs a newer one does not start there. */
const newestGlibc = [2, 35];
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** What of native/build runs at a user's; tests and their equipment stay behind. */
const nativeProducts = Object.values(
  JSON.parse(readFileSync(join(root, 'lib', 'native', 'native-products.json'), 'utf8')),
);

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** The packages that the compiled sources of `folders` require, and those that these depend on. */
function requiredPackages(folders) {
  const wanted = new Set();
  for (const file of folders.flatMap(filesBelow).filter((name) => name.endsWith('.js'))) {
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/require\("([^."][^"]*)"\)/g)) {
      if (!name.startsWith('node:')) wanted.add(packageName(name));
    }
  }
  const found = new Map();
  const visit = (name, from) => {
    const folder = packageFolder(name, from);
    if (found.has(folder)) return;
    found.set(folder, name);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    for (const dependency of Object.keys(manifest.dependencies ?? {})) visit(dependency, folder);
  };
  for (const name of wanted) visit(name, root);
  return [...found.keys()];
}

const packageName = (request) =>
  request
    .split('/')
    .slice(0, request.startsWith('@') ? 2 : 1)
    .join('/');

/** The folder that Node would take the package from, whatever its "exports" hide. */
function packageFolder(name, from) {
  for (const folder of createRequire(join(from, 'package.json')).resolve.paths(name) ?? []) {
    if (existsSync(join(folder, name, 'package.json'))) return join(folder, name);
  }
  throw new StepError(`the package ${name} is not installed`, 'run `node tools/setup.mjs`');
}

/** Grammar sources, other platforms' binaries and maps are of no use at run time. */
function isNeeded(file) {
  const useless =
    /\.(map|wasm|c|cc|h|md|markdown|gyp|ts|cts|mts)$|\/(test|tests|docs|vendor|queries|src\/grammar\.json)(\/|$)/;
  if (/\/LICEN[CS]E/i.test(file)) return true;
  const prebuild = /\/prebuilds\/([^/]+)/.exec(file);
  if (prebuild && prebuild[1] !== `linux-${process.arch}`) return false;
  return !useless.test(file);
}

function copyPackages(packages, target) {
  for (const folder of packages) {
    const place = folder.slice(folder.indexOf(`${root}/node_modules/`) + root.length + 1);
    // A package's own node_modules are packages of their own.
    cpSync(folder, join(target, place), {
      recursive: true,
      dereference: true,
      filter: (source) =>
        isNeeded(source.slice(folder.length)) && !source.slice(folder.length).startsWith('/node_modules'),
    });
  }
}

function copyNative(target) {
  const build = join(root, 'native', 'build');
  const missing = nativeProducts.filter((product) => !existsSync(join(build, product)));
  if (missing.length > 0)
    throw new StepError(`native programs are not built: ${missing.join(', ')}`, 'run `npm run build:native`');
  if (!isForEveryProcessor())
    throw new StepError('native/build is for the processor of this machine alone', 'run `npm run build:native`');
  for (const product of nativeProducts) {
    const destination = join(target, 'native', 'build', product);
    cpSync(join(build, product), destination, { dereference: true });
    spawnSync('strip', ['--strip-unneeded', destination]); // smaller where binutils are here, the same otherwise
  }
}

/** Every program and library must start on the oldest system that is promised. */
function checkGlibc(stage) {
  for (const file of filesBelow(stage)) {
    if (statSync(file).size < 64) continue;
    const bytes = readFileSync(file);
    if (bytes.readUInt32BE(0) !== 0x7f454c46) continue;
    for (const [, major, minor] of bytes.toString('latin1').matchAll(/GLIBC_(\d+)\.(\d+)/g)) {
      if (major > newestGlibc[0] || (Number(major) === newestGlibc[0] && minor > newestGlibc[1])) {
        throw new StepError(
          `${file.slice(stage.length + 1)} needs glibc ${major}.${minor}, newer than ${newestGlibc.join('.')}`,
          'build the native programs on an older system, such as Debian 12',
        );
      }
    }
  }
}

const launcher = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
exec "$here/../runtime/node" "$here/../package/bin/kernloop.js" "$@"
`;

const readme = `Kernloop ${version} for Linux x86-64, with its own Node runtime: nothing to install, no network.

  bin/kernloop doctor                       what this machine has, and what is missing
  bin/kernloop profile --app DIR            DIR holds a kernloop.json; see examples/
  runtime/node bench/gpu-examples.mjs       every example on this machine's GPU, as a table
`;

function stageBundle(stage) {
  const target = join(stage, 'package');
  mkdirSync(join(stage, 'bin'), { recursive: true });
  mkdirSync(join(stage, 'runtime'), { recursive: true });
  cpSync(process.execPath, join(stage, 'runtime', 'node'), { dereference: true });
  writeFileSync(join(stage, 'bin', 'kernloop'), launcher);
  chmodSync(join(stage, 'bin', 'kernloop'), 0o755);
  writeFileSync(join(stage, 'README.txt'), readme);
  cpSync(join(root, 'LICENSE'), join(stage, 'LICENSE'));
  for (const part of [
    'package.json',
    'LICENSE',
    'schemas',
    'dist/cli',
    'dist/lib',
    'generators/reproducer/files',
    'bin/kernloop.js',
    'executors/executors.json', // the mark of the package's root
  ]) {
    cpSync(join(root, part), join(target, part), { recursive: true });
  }
  copyPackages(requiredPackages([join(root, 'dist', 'cli'), join(root, 'dist', 'lib')]), target);
  copyNative(target);
  for (const folder of ['examples', 'bench']) {
    const files = spawnSync('git', ['ls-files', '-co', '--exclude-standard', folder], { cwd: root, encoding: 'utf8' });
    if (files.status !== 0) throw new StepError(`git cannot list ${folder}`, 'run this in a checkout of kernloop');
    for (const file of files.stdout.split('\n').filter(Boolean)) cpSync(join(root, file), join(stage, file));
  }
}

await runMain(async () => {
  const name = `kernloop-${version}-linux-${process.arch}`;
  const out = resolve(process.argv[2] ?? `${name}.tar.xz`);
  await step('compile', 'npm', ['run', '--silent', 'build']);
  const scratch = mkdtempSync(join(tmpdir(), 'kernloop-bundle-'));
  try {
    const stage = join(scratch, name);
    stageBundle(stage);
    checkGlibc(stage);
    mkdirSync(dirname(out), { recursive: true });
    await step('pack', 'tar', ['-C', scratch, '--owner=0', '--group=0', '-cJf', `${out}.partial`, name], {
      env: { XZ_OPT: process.env.XZ_OPT ?? '-T0 -3' },
    });
    renameSync(`${out}.partial`, out);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
    rmSync(`${out}.partial`, { force: true });
  }
  process.stdout.write(`${basename(out)}: ${(statSync(out).size / 2 ** 20).toFixed(1)} MiB\n`);
});
