import { TestWorkspace, writeReproducer } from '../../lib/testing/workspace';
import { namedDevices } from './devices';

describe('devices that a command names', () => {
  let workspace: TestWorkspace;
  const files = ['app/kernloop.json', 'kernels/app/saxpy/kernel.json'];

  beforeEach(() => {
    workspace = new TestWorkspace({ device: 'hsa' });
    writeReproducer(workspace);
  });
  afterEach(() => workspace.dispose());

  const named = (argv: string[] = [], env = {}): string[] => namedDevices(files, workspace.root, argv, env);

  it('are none where projects say on which they run, at the top', () => {
    expect(named(['run', 'app:profile', '--device-list', 'cuda'])).toEqual([]);
  });

  it('come from the command line and the environment', () => {
    expect(named(['run', 'app:profile', '--device', 'cuda'])).toEqual(['cuda']);
    expect(named(['--device=cuda', '--device=softgpu'])).toEqual(['softgpu', 'cuda']);
    expect(named([], { KERNLOOP_DEVICE: 'hsa' })).toEqual(['hsa']);
    // An option of another tool, or a mistake that the stage reports.
    expect(named(['--device', 'pixel-8', '--device'], { KERNLOOP_DEVICE: '' })).toEqual([]);
  });

  it.each([
    ['app/kernloop.json', { name: 'app', command: ['x'], options: { validate: { device: 'cuda' } } }],
    ['kernels/app/saxpy/kernel.json', { options: { validate: { device: 'cuda' } } }],
    ['kernels/app/saxpy/project.json', { targets: { validate: { configurations: { gpu: { device: 'cuda' } } } } }],
    ['app/package.json', { nx: { targets: { profile: { options: { device: 'cuda' } } } } }],
    ['nx.json', { targetDefaults: { validate: { options: { device: 'cuda' } } } }],
  ])('come from options in %s', (file, content) => {
    workspace.write(file, content);
    expect(named()).toEqual(['cuda']);
  });
});
