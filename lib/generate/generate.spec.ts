import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from './generate';
import { fixture, filesBelow, recordingDeps, type Fixture } from './testing/fixture';

jest.setTimeout(120_000);

let made: Fixture | undefined;
afterEach(() => made && rmSync(made.workspace, { recursive: true }));

const options = (app: string) => ({ app, kernel: 'k', compileLimitSeconds: 120, translationUnit: undefined });

describe('generate', () => {
  it('writes a project that compiles to the captured code object', async () => {
    made = fixture({
      sources: {
        'src/k.hip': `#include <hip/hip_runtime.h>
#include "../inc/scale.h"
__global__ void scale(float* __restrict__ x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= SCALE * FACTOR; }
`,
        'inc/scale.h': '#include "sub/value.h"\n#define SCALE VALUE\n',
        'inc/sub/value.h': '#pragma once\n#define VALUE 3.0f\n',
      },
      commands: { 'src/k.hip': '-DFACTOR=2.0f -I{app}/inc -O3 --offload-arch=gfx1030 --offload-arch=gfx90a' },
      captured: 'src/k.hip',
      symbol: '_Z5scalePfi',
      name: 'scale(float*, int)',
    });
    const { deps } = recordingDeps();
    const result = await generate(options(made.app), deps);
    expect(result).toMatchObject({ language: 'hip', identical: true, source: 'apps/demo/src/k.hip', notes: [] });
    const files = filesBelow(result.pristine);
    expect(files).toEqual(result.files);
    expect(files).toEqual(
      [
        'Makefile',
        'README.md',
        'deps/inc/scale.h',
        'deps/inc/sub/value.h',
        'deps/src/k.hip',
        'kernel.json',
        'kernel_variant.hip',
        'overlay.template.json',
        'recipe.json',
      ].sort(),
    );
    for (const file of files) expect(readFileSync(join(result.pristine, file), 'utf8')).not.toContain(made.workspace);
  });
});
