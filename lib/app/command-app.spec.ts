import { thrown } from '../testing/failure';
import { TestWorkspace } from '../testing/workspace';
import { bundle, programWith } from '../toolchain/testing/program-with';
import { appAt, isDeclared, nameOfCommand, otherApp } from './command-app';

describe('the app of a command', () => {
  let workspace: TestWorkspace;
  beforeEach(() => (workspace = new TestWorkspace({ command: ['./program', '3'] })));
  afterEach(() => workspace.dispose());

  it('needs no kernloop.json, and has the device that the program has code for', () => {
    workspace.writeBytes('alone/demo', programWith({ '.hip_fatbin': bundle(['gfx1030']) }));
    const app = appAt({ app: workspace.path('alone'), command: ['./demo', '--size', '3'] }, {});
    expect(app).toMatchObject({ root: workspace.path('alone'), cwd: workspace.path('alone') });
    expect(app.config).toMatchObject({
      name: 'demo',
      command: ['./demo', '--size', '3'],
      device: 'softgpu',
      kernels: [],
    });
    expect(app.config.options).toMatchObject({ profile: { softgpu: 'gfx1030' }, extract: { softgpu: 'gfx1030' } });
  });

  it('is what the kernloop.json of the folder declares, if that runs this very command', () => {
    const place = { app: workspace.app, command: ['./program', '3'] };
    expect([isDeclared(place), otherApp(place)]).toEqual([true, undefined]);
    expect(appAt(place, {}).config).toMatchObject({ name: 'app', kernels: [{ name: 'saxpy' }] });
  });

  it.each([[['./program']], [['./program', '4']], [['./program', '3', '4']]])(
    'is not the declared one for %j, which runs otherwise',
    (command) => {
      const place = { app: workspace.app, command };
      expect([isDeclared(place), otherApp(place)?.config.name]).toEqual([false, 'app']);
      expect(appAt(place, {}).config).toMatchObject({ name: 'program', command, kernels: [] });
    },
  );

  it('is that of the folder without a command', () => {
    expect(appAt({ app: workspace.app, command: [] }, {}).config.name).toBe('app');
    expect(isDeclared({ app: workspace.path('alone'), command: [] })).toBe(true);
  });

  it('runs in a folder', () => {
    expect(thrown(() => appAt({ app: workspace.path('nowhere'), command: ['./demo'] }, {})).code).toBe('USAGE');
  });

  it.each([
    ['demo', ['./build/demo', '3']],
    ['demo.v2', ['/opt/demo.v2']],
    ['train', ['python3', '-u', 'src/train.py', 'other.py']],
    ['python3', ['python3', '-m', 'train']],
    ['a-b', ['./a b']],
  ])('is named %s for %j', (name, command) => {
    expect(nameOfCommand(command)).toBe(name);
  });
});
