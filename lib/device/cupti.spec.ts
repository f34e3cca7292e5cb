import { TestWorkspace } from '../testing/workspace';
import { findCupti } from './cupti';

describe('the CUPTI that is handed to the agent', () => {
  let workspace: TestWorkspace;

  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const find = (program: string, env: Record<string, string>, major: number): string | undefined =>
    findCupti(program, env, major, workspace.path('local'));
  const place = (path: string): string => workspace.write(path, 'library');

  it("is that of the app's own Python, which PyTorch loads as well", () => {
    const own = place('venv/lib/python3.12/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12');
    place('toolkit/lib64/libcupti.so.13');
    const python = place('venv/bin/python3');
    expect(find(python, { CUDA_HOME: workspace.path('toolkit') }, 13)).toBe(own);
  });

  it('is found below the Python that a virtual environment was made from, and behind a script', () => {
    const own = place('base/lib/python3.12/site-packages/nvidia/cu13/lib/libcupti.so.13');
    workspace.write('venv/pyvenv.cfg', `home = ${workspace.path('base', 'bin')}\nversion = 3.12\n`);
    place('venv/bin/python');
    const script = workspace.write('venv/bin/serve', `#!${workspace.path('venv', 'bin', 'python')}\nimport serve\n`);
    expect(find(script, {}, 13)).toBe(own);
  });

  it.each([
    ['the library path', 'libraries/libcupti.so.13', 'LD_LIBRARY_PATH'],
    ['a toolkit that is named', 'toolkit/extras/CUPTI/lib64/libcupti.so.13', 'CUDA_HOME'],
    ['the toolkit that is linked', 'local/cuda/lib64/libcupti.so.13', 'NOTHING'],
  ])('is left to the agent where that finds one in %s', (_name, path, variable) => {
    place(path);
    place('local/cuda-12.6/extras/CUPTI/lib64/libcupti.so.12');
    const env = { [variable]: workspace.path(path.split('/')[0] ?? '') };
    expect(find('/bin/app', env, 13)).toBeUndefined();
  });

  it('is that of the newest toolkit that has no link', () => {
    place('local/cuda-12.6/extras/CUPTI/lib64/libcupti.so.12');
    const newest = place('local/cuda-13.0/targets/x86_64-linux/lib/libcupti.so.13');
    expect(find('/bin/app', {}, 13)).toBe(newest);
  });

  it('is none that is newer than the driver', () => {
    place('local/cuda-13.0/extras/CUPTI/lib64/libcupti.so.13');
    const older = place('local/cuda-12.6/extras/CUPTI/lib64/libcupti.so.12');
    expect(find('/bin/app', {}, 12)).toBe(older);
  });

  it('is what the user says', () => {
    place('local/cuda-13.0/extras/CUPTI/lib64/libcupti.so.13');
    expect(find('/bin/app', { KERNLOOP_CUPTI: '/x' }, 13)).toBeUndefined();
  });
});
