import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TestWorkspace } from '../testing/workspace';
import { cudaArguments } from './cuda-arguments';
import { cudaParts } from './cuda-installation';

describe('what nvcc was told, in the words of clang', () => {
  let workspace: TestWorkspace;
  let env: Record<string, string>;
  beforeEach(() => {
    workspace = new TestWorkspace();
    for (const part of ['include/cuda_runtime.h', 'nvvm/libdevice/libdevice.10.bc', 'bin/ptxas'])
      workspace.write(`cuda/${part}`, '');
    chmodSync(workspace.path('cuda/bin/ptxas'), 0o755);
    env = { CUDA_HOME: workspace.path('cuda') };
  });
  afterEach(() => workspace.dispose());

  const translated = (...words: string[]): { clang: string[]; ptxas: string[] } =>
    cudaArguments({ compiler: { name: 'nvcc' }, arguments: words }, env);

  it('keeps defines, folders, files and the language of the source', () => {
    const words = ['-I{deps}/a', '-isystem={deps}/b', '-DX=1', '-Xcompiler=-DY,-Wall', '-std=c++17', '-x', 'cu'];
    const { clang } = translated(...words, '-include=z.h');
    expect(clang.join(' ')).toMatch(/-I\{deps\}\/a .*-isystem \{deps\}\/b/);
    expect(clang).toEqual(expect.arrayContaining(['-DX=1', '-std=c++17', '-include', 'z.h']));
    expect(clang.join(' ')).toMatch(/-x cuda/);
    expect(clang.join(' ')).toMatch(/-D ?Y/);
    expect(clang.join(' ')).not.toMatch(/-Wall/);
  });

  it('optimises device code as nvcc does, whatever the level of the host is', () => {
    expect(translated('-O0')).toMatchObject({ clang: expect.arrayContaining(['-O3']) as string[], ptxas: ['-O3'] });
    expect(translated('-O0').clang).not.toContain('-O0');
  });

  it('hands the assembler what is for it', () => {
    expect(translated('-maxrregcount=32', '-Xptxas=-dlcm=ca,-v').ptxas).toEqual([
      '-O3',
      '-maxrregcount=32',
      '-dlcm=ca',
      '-v',
    ]);
  });

  it('rounds as nvcc was told to', () => {
    const option = (name: string, words: string[]): boolean => translated(...words).clang.includes(name);
    expect(option('-fgpu-flush-denormals-to-zero', ['-ftz=true'])).toBe(true);
    expect(option('-fgpu-flush-denormals-to-zero', ['-ftz=false'])).toBe(false);
    expect(option('-ffp-contract=off', ['-fmad=false'])).toBe(true);
    expect(option('-nvptx-prec-sqrtf32=0', ['-prec-sqrt=false'])).toBe(true);
    for (const fast of ['-fgpu-flush-denormals-to-zero', '-fgpu-approx-transcendentals', '-nvptx-prec-divf32=0'])
      expect(option(fast, ['-use_fast_math'])).toBe(true);
    // -ffast-math would reorder sums, which nvcc does not do.
    expect(option('-ffast-math', ['-use_fast_math'])).toBe(false);
  });

  it.each(['-G', '-Xcicc=-x', '-device-stack-protector=true'])('refuses %s by its name', (word) => {
    expect(() => translated(word)).toThrow(
      expect.objectContaining({
        code: 'PGO_UNSUPPORTED',
        what: expect.stringContaining(word.split('=')[0] ?? '') as string,
      }) as Error,
    );
  });

  it("keeps the words of an app's own clang, and says to ptxas what that would say", () => {
    const words = ['-O2', '--cuda-path=/elsewhere', '-Xcuda-ptxas', '-v', '-DX'];
    const { clang, ptxas } = cudaArguments({ compiler: { name: 'clang++' }, arguments: words }, env);
    expect(ptxas).toEqual(['-O2', '-v']);
    expect(clang.filter((word) => word.startsWith('--cuda-path'))).toEqual([`--cuda-path=${workspace.path('cuda')}`]);
  });

  it('says what a toolkit lacks', () => {
    expect(cudaParts({ PATH: '' }, [])).toEqual({ root: null, missing: ['a CUDA toolkit'], found: null });
    const half = workspace.path('half');
    mkdirSync(dirname(join(half, 'include/cuda_runtime.h')), { recursive: true });
    writeFileSync(join(half, 'include/cuda_runtime.h'), '');
    expect(cudaParts({ PATH: '', CUDA_HOME: half }, []).missing).toEqual([
      'its device library (nvvm/libdevice/libdevice.10.bc)',
      'its assembler (bin/ptxas)',
    ]);
    expect(() => cudaArguments({ compiler: { name: 'nvcc' }, arguments: [] }, { PATH: '', CUDA_HOME: half })).toThrow(
      expect.objectContaining({ code: 'ENVIRONMENT_TOOL_MISSING' }) as Error,
    );
  });
});
