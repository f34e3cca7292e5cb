// Makes both npm packages as tarballs from the sources and the native build of this checkout.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, step } from '../console.mjs';
import { installNpmPackages } from '../npm-packages.mjs';
import { stageKernloop } from './kernloop.mjs';
import { nativeManifest, version } from './manifests.mjs';
import { stageNative } from './native.mjs';

/** Writes the tarballs into `folder`; `forTests` as in stageProducts(). */
export async function makePackages(folder, { build = join(root, 'native', 'build'), forTests } = {}) {
  // quickstart leaves out what compiles and bundles our TypeScript.
  if (!forTests) await installNpmPackages({ tests: true });
  mkdirSync(folder, { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), 'kernloop-package-'));
  try {
    const [kernloop, native] = ['kernloop', 'native'].map((name) => join(scratch, name));
    await stageKernloop(kernloop);
    stageNative(native, build, { forTests });
    const tarballs = [];
    for (const [stage, name] of [
      [kernloop, `kernloop-${version}.tgz`],
      [native, `${nativeManifest().name.slice(1).replace('/', '-')}-${version}.tgz`],
    ]) {
      await step(`pack ${name}`, 'npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
        cwd: stage,
      });
      const tarball = join(folder, name);
      if (!existsSync(tarball)) throw new Error(`npm pack did not write ${tarball}`);
      tarballs.push(tarball);
    }
    return tarballs;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
