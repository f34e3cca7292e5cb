import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../app/app';

/** Target triples in the names of device profiles, beside the host's. */
const deviceTriples = ['amdgcn-amd-amdhsa', 'nvptx64-nvidia-cuda'] as const;

/** Files that PGO keeps for an app: below .kernloop, where the app's own build never writes. */
export const appPgoPaths = ({ root }: Pick<App, 'root'>) => {
  const folder = join(root, '.kernloop', 'pgo');
  const host = join(folder, 'merged.profdata');
  const ofDevice = deviceTriples.map((triple) => `${host}.${triple}.profdata`);
  return {
    folder,
    instrumented: join(folder, 'instrumented'),
    raw: join(folder, 'raw'),
    variants: join(folder, 'variants'),
    /** Input of `-fprofile-use` for host code; missing if the host was not counted. */
    host,
    /**
     * Profile of the device, under the name that LLVM's RFC gives it beside the host's. There is one, because an app
     * uses one kind of device.
     */
    profdata: ofDevice.find((file) => existsSync(file)) ?? ofDevice[0] ?? '',
    ofDevice,
    waves: join(folder, 'merged.waves.json'),
    mergeJson: join(folder, 'merged.json'),
    choice: join(folder, 'choice.json'),
    /** Profiles of programs that the app compiles at run time. */
    runtime: join(folder, 'runtime'),
  };
};
