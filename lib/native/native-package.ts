import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { KernloopError } from '../support/error';
import { packageRoot, version } from '../support/version';

/** Inputs of the search for native programs; tests pass their own. */
export interface NativeSearch {
  /** Folder of the kernloop package. */
  readonly root: string;
  readonly version: string;
  readonly platform: string;
  /** C library by its npm name; only Linux has a choice. */
  readonly libc: string | undefined;
}

/** Platforms that have a package (tools/package.mjs makes it). */
const packagedPlatforms = ['linux-x64'];

export function thisMachine(): NativeSearch {
  return {
    root: packageRoot,
    version,
    platform: `${process.platform}-${process.arch}`,
    get libc() {
      return libcOf();
    },
  };
}

/**
 * Node's report names the version of glibc, if that is the C library. The report is slow, so it is made only if
 * something is missing.
 */
function libcOf(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}

/** The folder of the package that npm installed beside kernloop. */
export function installedNatives(search: NativeSearch): string {
  const name = packageName(search);
  const manifest = manifestOf(name, search.root);
  if (manifest === undefined) {
    throw new KernloopError(
      'ENVIRONMENT_NATIVE_MISSING',
      `the native programs are not installed: there is no package ${name}, and no build of them in ${search.root}`,
      nativeRemedy(search),
    );
  }
  const { version: found } = JSON.parse(readFileSync(manifest, 'utf8')) as { version?: string };
  if (found !== search.version) {
    throw new KernloopError(
      'ENVIRONMENT_NATIVE_MISSING',
      `${name} is of version ${found ?? '(none)'}, and kernloop of ${search.version}: they only go together in the same version`,
      `run \`npm install kernloop@${search.version} ${name}@${search.version}\`, and take ${name} out of package.json if it stands there`,
    );
  }
  return dirname(manifest);
}

const packageName = ({ platform }: NativeSearch): string => `@kernloop/native-${platform}`;

/** Manifest of the package as Node resolves it, wherever npm, pnpm or yarn put it. */
function manifestOf(name: string, root: string): string | undefined {
  try {
    return createRequire(join(root, 'package.json')).resolve(`${name}/package.json`);
  } catch {
    return undefined;
  }
}

/** Advice on how to get missing native programs. */
export function nativeRemedy(search: NativeSearch = thisMachine()): string {
  if (existsSync(join(search.root, 'native', 'CMakeLists.txt'))) return 'run `npm run build:native` in the checkout';
  const machine = search.libc === 'musl' ? `${search.platform} with musl` : search.platform;
  if (!packagedPlatforms.includes(search.platform) || search.libc === 'musl') {
    return `no native programs are published for ${machine}, only for ${packagedPlatforms.join(', ')} with glibc: run there`;
  }
  return (
    `run \`npm install ${packageName(search)}@${search.version}\`; an installation with --omit=optional (--no-optional) leaves it out, and so does ` +
    'a package-lock.json that was written on another platform. A build from a checkout of kernloop does as well: `npm run build:native` there, and KERNLOOP_NATIVE_DIR=<checkout>/native/build here'
  );
}
