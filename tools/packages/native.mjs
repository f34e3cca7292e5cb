// The package `@kernloop/native-<platform>`: products of the native build, stripped, with their requirements checked.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, StepError } from '../console.mjs';
import { nativeManifest, nativeName, platform, version } from './manifests.mjs';

/** glibc of Ubuntu 22.04: programs that need a newer one do not start there. */
export const newestGlibc = [2, 35];

/** Libraries that every such machine has. libstdc++ and all others are linked in. */
const systemLibraries = ['libc.so.6', 'libm.so.6', 'ld-linux-x86-64.so.2'];

/** Debian packages of linked-in libraries, for their licences. */
const linkedIn = ['libzstd-dev', 'libssl-dev', 'nlohmann-json3-dev', 'libxxhash-dev', 'zlib1g-dev', 'libstdc++-12-dev'];

/** Builds for every x86-64 processor: one for the builder's own would not start on others. */
const vectorBuilds = ['baseline', 'v3', 'v4'];

const products = JSON.parse(readFileSync(join(root, 'lib', 'native', 'native-products.json'), 'utf8'));

export function stageNative(stage, build, limits) {
  stageProducts(stage, build, Object.keys(products), limits);
  copyLicences(stage);
  writeFileSync(join(stage, 'README.md'), readme);
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(nativeManifest(), null, 2)}\n`);
}

/**
 * Copies the named products of the list (lib/native/native-products.json) with their paths in the build. `forTests`: the
 * build may be for some processors alone.
 */
export function stageProducts(stage, build, names, { forTests = false } = {}) {
  const wanted = names.map((name) => products[name]);
  const missing = wanted.filter((product) => !existsSync(join(build, product)));
  if (missing.length > 0)
    throw new StepError(`native programs are not built: ${missing.join(', ')}`, 'run `npm run build:native`');
  for (const product of wanted) {
    const file = join(stage, product);
    cpSync(join(build, product), file, { dereference: true });
    tool('strip', ['--strip-unneeded', '--remove-section=.comment', file]);
    checkNeeds(product, file);
  }
  if (!forTests) checkVectorBuilds(join(build, products.softgpu));
}

function tool(name, args) {
  const ended = spawnSync(name, args, { encoding: 'utf8', maxBuffer: 256 << 20 });
  if (ended.status === 0) return ended.stdout;
  throw new StepError(`${name} ${args.join(' ')}: ${ended.error?.message ?? ended.stderr}`, 'apt-get install binutils');
}

/** Checks that a program or library starts on the oldest supported system with the libraries of that system. */
function checkNeeds(product, file) {
  const wrong = (what, hint) => {
    throw new StepError(`${product} ${what}`, hint);
  };
  const dynamic = tool('readelf', ['--dynamic', '--wide', file]);
  for (const [, library] of dynamic.matchAll(/\(NEEDED\).*\[(.*)\]/g)) {
    if (!systemLibraries.includes(library))
      wrong(`needs ${library}, which not every machine has`, 'configure with KERNLOOP_STATIC_DEPENDENCIES');
  }
  if (/\((RPATH|RUNPATH)\)/.test(dynamic)) wrong('names folders of this machine (RUNPATH)', 'link without an rpath');
  for (const [, symbol] of tool('readelf', ['--version-info', '--wide', file]).matchAll(/Name: (\S+)\s+Flags/g)) {
    const [, major, minor] = /^GLIBC_(\d+)\.(\d+)/.exec(symbol) ?? [];
    if (major === undefined) wrong(`needs ${symbol}, which is not of the C library`, 'link it statically');
    if (Number(major) > newestGlibc[0] || (Number(major) === newestGlibc[0] && Number(minor) > newestGlibc[1]))
      wrong(
        `needs glibc ${major}.${minor}, newer than ${newestGlibc.join('.')}`,
        'build on an older system, such as Debian 12',
      );
  }
  if (readFileSync(file).includes(`${root}/`)) wrong(`has paths of this machine (${root}) in it`, 'build without them');
}

function checkVectorBuilds(library) {
  const symbols = tool('nm', ['--demangle', library]);
  const missing = vectorBuilds.filter((name) => !symbols.includes(`vector::${name}::select(`));
  if (missing.length > 0) {
    throw new StepError(
      `the software GPU in ${library} lacks the vector code for ${missing.join(', ')}: it would run on some processors alone`,
      'run `npm run build:native`, which builds it for all',
    );
  }
}

export function copyLicences(stage) {
  cpSync(join(root, 'LICENSE'), join(stage, 'LICENSE'));
  mkdirSync(join(stage, 'licenses'), { recursive: true });
  for (const name of linkedIn) {
    const file = `/usr/share/doc/${name}/copyright`;
    if (!existsSync(file))
      throw new StepError(
        `no licence of ${name}, which is linked in: ${file} is not there`,
        'build on Debian 12, in `npm test`’s set-up',
      );
    cpSync(file, join(stage, 'licenses', `${name}.txt`), { dereference: true });
  }
}

const readme = `# ${nativeName}

The native programs of Kernloop ${version} for ${platform} (glibc ${newestGlibc.join('.')} or newer).
Nothing to call here: \`npm install kernloop\` brings it along, in the same version.

licenses/ holds those of the libraries that are linked in.
`;
