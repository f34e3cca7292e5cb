import { rmSync } from 'node:fs';
import { captureJson, TestWorkspace, writeReproducer } from '../testing/workspace';
import { nextStep } from './next-step';

describe('what unpack says to do next', () => {
  let workspace: TestWorkspace;
  const before = process.cwd();

  beforeEach(() => {
    workspace = new TestWorkspace();
    process.chdir(workspace.root);
  });
  afterEach(() => {
    process.chdir(before);
    workspace.dispose();
  });

  const bare = (folder = 'some', json: object = {}): string => {
    workspace.write(`${folder}/capture.json`, captureJson(json));
    return workspace.path(folder);
  };

  it('is validate where it became the capture of a reproducer', () => {
    writeReproducer(workspace);
    expect(nextStep(workspace.path('kernels/app/saxpy/capture'), 's.klcap')).toEqual([
      'Next, replay it here: kernloop validate kernels/app/saxpy',
    ]);
  });

  it('is the project that has this very capture, and no other', () => {
    writeReproducer(workspace);
    expect(nextStep(bare(), 's.klcap')).toEqual([
      'It is a capture of saxpy(float*, float) on softgpu, the very one that kernels/app/saxpy has.',
      'Next, replay it there: kernloop validate kernels/app/saxpy',
    ]);
    expect(nextStep(bare('another', { execution: { wave_instructions: 7 } }), 's.klcap')[1]).toContain('beside saxpy');
  });

  it('is the place in the app that declares the kernel', () => {
    expect(nextStep(bare(), 's.klcap')).toEqual([
      expect.stringContaining('a capture of saxpy(float*, float) on softgpu, without a project'),
      'Next, make it a project of app: kernloop unpack s.klcap --to kernels/app/saxpy/capture',
    ]);
  });

  describe('where the place of the kernel holds another capture', () => {
    const symbol = '^_Z5saxpyPff$';
    const name = '^saxpy\\(float\\*, float\\)$';
    const taken = (folder = 'saxpy'): string =>
      bare(`kernels/app/${folder}/capture`, { execution: { wave_instructions: 7 } });
    const next = (json: object = {}): string | undefined => nextStep(bare('some', json), 's.klcap')[1];

    it('is a declaration under another name, of the launch that was captured', () => {
      taken();
      expect(next()).toBe(
        `Next, make it a project of app beside saxpy, which has another capture or kernel: kernloop declare saxpy-2 --app app --match '${name}' --from s.klcap && kernloop unpack s.klcap --to kernels/app/saxpy-2/capture`,
      );
      const other = next({
        dispatch: { ordinal: 3, index: 2, queue: 0 },
        scope: { mode: 'all', widened: false, tracked_regions: 2, tracked_bytes: 8192 },
      });
      expect(other).toContain(`--match '${name}' --ordinal 3 --scope all --from s.klcap && kernloop unpack`);
    });

    it('takes a name that neither kernloop.json nor a folder has, and an expression that no other kernel has', () => {
      taken();
      taken('saxpy-3');
      const kernels = ['saxpy', 'saxpy-2'].map((kernel) => ({ name: kernel, match: name }));
      workspace.write('app/kernloop.json', { name: 'app', command: ['./program'], kernels });
      taken('saxpy-2');
      expect(next()).toContain(
        `kernloop declare saxpy-4 --app app --match '${symbol}' --from s.klcap && kernloop unpack`,
      );
    });

    it('is the place of another kernel that selects it, if that is free', () => {
      taken();
      const kernels = ['saxpy', 'mine'].map((kernel) => ({ name: kernel, match: 'saxpy', ordinal: kernel.length }));
      workspace.write('app/kernloop.json', { name: 'app', command: ['./program'], kernels });
      expect(next()).toMatch(/: kernloop unpack s.klcap --to kernels\/app\/mine\/capture$/);
    });

    it('is another name, too, where files of the user are in the place', () => {
      workspace.write('kernels/app/saxpy/capture/notes.txt', 'mine');
      expect(next()).toContain('kernloop declare saxpy-2 ');
    });

    it('is that place where it holds the same capture', () => {
      bare('kernels/app/saxpy/capture');
      expect(next()).toMatch(/project of app: kernloop unpack s.klcap --to kernels\/app\/saxpy\/capture$/);
    });
  });

  it('takes another name where the app means another kernel by the captured one', () => {
    workspace.write('app/kernloop.json', {
      name: 'app',
      command: ['./program'],
      kernels: [{ name: 'saxpy', match: '^other::saxpy' }],
    });
    expect(nextStep(bare(), 's.klcap')[1]).toContain('kernloop declare saxpy-2 --app app --match ');
  });

  it('is generate and adopt where it is in that place', () => {
    expect(nextStep(bare('kernels/app/saxpy/capture'), 's.klcap')).toEqual([
      'Next, make it a project: kernloop generate saxpy --app app && kernloop adopt kernels/app/saxpy',
      'Git ignores captures: so that a clone does not capture app in its place, add "from": "s.klcap" to the entry of saxpy in kernloop.json',
    ]);
  });

  it('is a declaration first where the app has another kernel only', () => {
    const kernel = { name: 'other(int*)', symbol: '_Z5otherPi', code_object: 'a'.repeat(64) };
    expect(nextStep(bare('some', { kernel }), 's.klcap')[1]).toBe(
      'Next, make it a project of app: kernloop declare other --app app && kernloop unpack s.klcap --to kernels/app/other/capture',
    );
  });

  // `init` would take the name of the folder, and the capture would be in no place of that app.
  it('declares the app under its captured name where no app is here', () => {
    const capture = bare('some', { app: { name: 'demo', command: ['./demo', '3'], files: [] } });
    workspace.write('app/kernloop.json', { name: 'app', command: ['./program'], kernels: [] });
    const to = workspace.path('kernels/demo/saxpy/capture');
    expect(nextStep(capture, 's.klcap')[1]).toBe(
      `Next, in the sources of its app (demo): kernloop init --name demo --kernel saxpy -- ./demo 3 && kernloop unpack ${workspace.path('s.klcap')} --to ${to}`,
    );
  });

  it('unpacks below the folder of the sources outside of a workspace of Nx', () => {
    const capture = bare('some', { app: { name: 'demo', files: [] } });
    rmSync(workspace.path('nx.json'));
    rmSync(workspace.path('app'), { recursive: true });
    const [, line] = nextStep(capture, 's.klcap');
    expect(line).toContain('kernloop init --name demo --kernel saxpy && kernloop unpack');
    expect(line).toMatch(/ --to kernels\/demo\/saxpy\/capture$/);
  });

  it.each([
    ['the captured program', './build/demo', 'kernloop unpack s.klcap --to kernels/w9/saxpy/capture'],
    ['another program', './other', 'kernloop init --name demo'],
  ])('asks whether the app of this folder, declared under another name, runs %s', (_name, program, expected) => {
    const capture = bare('some', { app: { name: 'demo', command: ['./demo', '3'], files: [] } });
    rmSync(workspace.path('nx.json'));
    rmSync(workspace.path('app'), { recursive: true });
    workspace.write('kernloop.json', { name: 'w9', command: [program], kernels: [] });
    expect(nextStep(capture, 's.klcap')[1]).toContain(expected);
  });

  it('is nothing, and no error, for a capture that this version cannot read', () => {
    expect(nextStep(bare('some', { schema: 'kernloop.capture/2' }), 's.klcap')).toEqual([]);
  });
});
