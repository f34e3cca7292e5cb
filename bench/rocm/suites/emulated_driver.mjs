// The kernel driver below AMD's own ROCr, as the checkout built it with its native tests (docs/contributing/softgpu.md).
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root as checkout, StepError } from '../../../tools/console.mjs';

const folder = join(checkout, 'native/build/lib/kfd');

/** Its folder, and the library to preload. */
export function emulatedDriver() {
  const preload = 'libkernloop-kfd.so';
  if (!existsSync(join(folder, preload))) throw new StepError(`${folder} is not built`, 'npm run build:native', 3);
  return { folder, preload };
}

/** Adds it to an installed Kernloop: packages are without it. */
export function addEmulatedDriver(kernloop) {
  const { folder: built } = emulatedDriver();
  const installed = join(kernloop, 'node_modules/@kernloop/native-linux-x64/lib/kfd');
  rmSync(installed, { recursive: true, force: true });
  cpSync(built, installed, { recursive: true });
}
