import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../app/app';

/** How device profiles are called, beside the host's. */
const deviceTriples = ['amdgcn-amd-amdhsa', 'nvptx64-nvidia-cuda'] as const;

/** Where PGO keeps what belongs to an app: below .kernloop, where the app's own build never writes. */
export const appPgoPaths = ({ root }: Pick<App, 'root'>) => {
  const folder = join(root, '.kernloop', 'pgo');
  const host = join(folder, 'merged.profdata');
  const ofDevice = deviceTriples.map((triple) => `${host}.${triple}.profdata`);
  return {
    folder,
    instrumented: join(folder, 'instrumented'),
    raw: join(folder, 'raw'),
    variants: join(folder, 'variants'),
    /** What `-fprofile-use` of the host takes; not there where the host was not counted. */
    host,
    /** Of the device, under the name that LLVM's RFC has for it beside the host's; of one of them, as an app has one kind of device. */
    profdata: ofDevice.find((file) => existsSync(file)) ?? ofDevice[0] ?? '',
    ofDevice,
    waves: join(folder, 'merged.waves.json'),
    mergeJson: join(folder, 'merged.json'),
    choice: join(folder, 'choice.json'),
    /** Of programs that the app compiles at run time. */
    runtime: join(folder, 'runtime'),
  };
};
