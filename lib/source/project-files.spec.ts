import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { thrown } from '../testing/failure';
import { dialects } from '../toolchain/dialects';
import { sourcesBelow } from './project-files';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kernloop-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('sourcesBelow', () => {
  it("searches the app's own folder of kernels, but no copies in reproducers, and no build", () => {
    const paths = [
      ...['main.hip', 'src/kernels/scale.cu', 'src/host.h', 'build/try.hip', '.git/x.hip'],
      ...['kernels/demo/k/kernel.json', 'kernels/demo/k/kernel_variant.hip', 'kernels/demo/k/deps/main.hip'],
    ];
    for (const path of paths) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), '');
    }
    const found = (language: 'hip' | 'cuda'): string[] =>
      sourcesBelow(folder, dialects[language].sources).map((path) => relative(folder, path));
    expect(found('hip')).toEqual(['main.hip', 'src/kernels/scale.cu']);
    expect(found('cuda')).toEqual(['src/kernels/scale.cu']);
  });

  it('refuses a folder that does not exist, by its field', () => {
    const error = thrown(() => sourcesBelow(join(folder, 'nodir'), ['.hip']));
    expect([error.code, error.hint]).toEqual(['CONFIG_INVALID', 'correct "source" of kernloop.json']);
  });
});
