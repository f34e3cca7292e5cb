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

  it('is the place in the app that declares the kernel', () => {
    expect(nextStep(bare(), 's.klcap')).toEqual([
      expect.stringContaining('a capture of saxpy(float*, float) on softgpu, without a project'),
      'Next, make it a project of app: kernloop unpack s.klcap --to kernels/app/saxpy/capture',
    ]);
  });

  it('is generate and adopt where it is in that place', () => {
    expect(nextStep(bare('kernels/app/saxpy/capture'), 's.klcap')).toEqual([
      'Next, make it a project: kernloop generate saxpy --app app && kernloop adopt kernels/app/saxpy',
    ]);
  });

  it('is a declaration first where the app has another kernel only', () => {
    const kernel = { name: 'other(int*)', symbol: '_Z5otherPi', code_object: 'a'.repeat(64) };
    expect(nextStep(bare('some', { kernel }), 's.klcap')[1]).toBe(
      'Next, make it a project of app: kernloop declare other --app app && kernloop unpack s.klcap --to kernels/app/other/capture',
    );
  });

  it('names the app of the capture where no app is here', () => {
    const capture = bare('some', { app: { name: 'demo', files: [] } });
    workspace.write('app/kernloop.json', { name: 'app', command: ['./program'], kernels: [] });
    const [, line] = nextStep(capture, 's.klcap');
    expect(line).toContain('go to the sources of its app (demo)');
    expect(line).toContain(`kernloop unpack ${workspace.path('s.klcap')} --to kernels/demo/saxpy/capture`);
  });

  it('is nothing, and no error, for a capture that this version cannot read', () => {
    expect(nextStep(bare('some', { schema: 'kernloop.capture/2' }), 's.klcap')).toEqual([]);
  });
});
