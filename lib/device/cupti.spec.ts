import { TestWorkspace } from '../testing/workspace';
import { findCupti } from './cupti';

describe('the CUPTI that is handed to the agent', () => {
  let workspace: TestWorkspace;

  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const place = (path: string): string => workspace.write(path, 'library');

  it("is that of the app's own Python, which PyTorch loads as well", () => {
    const own = place('venv/lib/python3.12/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12');
    place('toolkit/lib64/libcupti.so.13');
    const python = place('venv/bin/python3');
    expect(findCupti(python, { CUDA_HOME: workspace.path('toolkit') }, 13)).toBe(own);
  });

  it('is found below the Python that a virtual environment was made from, and behind a script', () => {
    const own = place('base/lib/python3.12/site-packages/nvidia/cu13/lib/libcupti.so.13');
    workspace.write('venv/pyvenv.cfg', `home = ${workspace.path('base', 'bin')}\nversion = 3.12\n`);
    place('venv/bin/python');
    const script = workspace.write('venv/bin/serve', `#!${workspace.path('venv', 'bin', 'python')}\nimport serve\n`);
    expect(findCupti(script, {}, 13)).toBe(own);
  });

  it('is left to the loader where that finds one', () => {
    place('libraries/libcupti.so.13');
    place('toolkit/lib64/libcupti.so.13');
    const env = { LD_LIBRARY_PATH: workspace.path('libraries'), CUDA_HOME: workspace.path('toolkit') };
    expect(findCupti('/bin/app', env, 13)).toBeUndefined();
  });

  it('is that of the toolkit otherwise', () => {
    const own = place('toolkit/extras/CUPTI/lib64/libcupti.so.13');
    expect(findCupti('/bin/app', { CUDA_HOME: workspace.path('toolkit') }, 13)).toBe(own);
  });

  it('is none that is newer than the driver', () => {
    place('toolkit/lib64/libcupti.so.13');
    const older = place('toolkit/targets/x86_64-linux/lib/libcupti.so.12');
    const env = { CUDA_HOME: workspace.path('toolkit') };
    expect(findCupti('/bin/app', env, 12)).toBe(older);
  });

  it('is what the user says', () => {
    place('toolkit/lib64/libcupti.so.13');
    expect(findCupti('/bin/app', { CUDA_HOME: workspace.path('toolkit'), KERNLOOP_CUPTI: '/x' }, 13)).toBeUndefined();
  });
});
