import { KernloopError } from '../support/error';
import { thrown } from '../testing/failure';
import { TestWorkspace, writeReproducer } from '../testing/workspace';
import { bundle, programWith } from '../toolchain/testing/program-with';
import { configure } from './configure';
import { formerVerbs } from './former-verbs';
import { stages } from './registry';

describe('precedence of options', () => {
  let workspace: TestWorkspace;

  afterEach(() => workspace.dispose());

  const kernloopJson = { options: { validate: { replays: 3, limitFactor: 3 }, capture: { maxBytes: 7 } } };

  it.each([
    ['flag', { replays: 9 }, { KERNLOOP_VALIDATE_REPLAYS: '8' }, { validate: { replays: 5 } }, 9, 'flag --replays'],
    [
      'environment',
      {},
      { KERNLOOP_VALIDATE_REPLAYS: '8' },
      { validate: { replays: 5 } },
      8,
      'KERNLOOP_VALIDATE_REPLAYS',
    ],
    ['kernel.json', {}, {}, { validate: { replays: 5 } }, 5, 'kernel.json'],
    ['kernloop.json', {}, {}, {}, 3, 'kernloop.json'],
  ])('%s wins over what comes after it', (_name, flags, env, options, value, origin) => {
    workspace = new TestWorkspace(kernloopJson);
    const reproducer = writeReproducer(workspace, { options });
    const { values, origins } = configure(stages.validate, { reproducer, ...flags }, env);
    expect([values.replays, origins['replays']]).toEqual([value, origin]);
  });

  it('asks for no reproducer in the root of a workspace where a stage has a page of the workspace', () => {
    workspace = new TestWorkspace();
    const root = { reproducer: workspace.root };
    expect(thrown(() => configure(stages.report, root, {})).code).toBe('CONFIG_MISSING');
    writeReproducer(workspace);
    expect(configure(stages.report, root, {}).values.reproducer).toBe(workspace.root);
    expect(thrown(() => configure(stages.validate, root, {})).code).toBe('CONFIG_MISSING');
  });

  it('names the option for a whole app where PGO of a kernel is asked for in the folder of an app', () => {
    workspace = new TestWorkspace();
    const hint = (stage: Parameters<typeof configure>[0], folder: string): string =>
      thrown(() => configure(stage, { reproducer: folder }, {})).hint;
    const pgoBuild = stages['pgo-build'].subjects.reproducer;
    expect(hint(pgoBuild, workspace.app)).toMatch(/; `kernloop pgo-build --app` works on the whole app$/);
    expect(hint(pgoBuild, workspace.root)).not.toContain('pgo-build --app');
    expect(hint(stages.validate, workspace.app)).not.toContain('whole app');
  });

  it.each([
    ['of a reproducer', { iterations: 9 }, [9, undefined, 5, undefined]],
    ['of an app', { rounds: 9 }, [undefined, undefined, 9, undefined]],
    ['of both', { gpu: '1' }, [undefined, '1', 5, '1']],
  ])('takes options %s from kernloop.json where a stage works on either', (_name, options, expected) => {
    workspace = new TestWorkspace({ options: { 'pgo-use': options } });
    const reproducer = writeReproducer(workspace);
    const { subjects } = stages['pgo-use'];
    const { values: kernel } = configure(subjects.reproducer, { reproducer }, {});
    const { values: whole } = configure(subjects.app, { app: workspace.app }, {});
    expect([kernel['iterations'], kernel['gpu'], whole['rounds'], whole['gpu']]).toEqual(expected);
  });

  it('refuses options of the other subject in a file that it alone reads, and a former name of a stage', () => {
    workspace = new TestWorkspace({ options: { 'pgo-generate': { limitFactor: 2 } } });
    const reproducer = writeReproducer(workspace, { options: { 'pgo-use': { rounds: 3 } } });
    const ofApp = () => configure(stages['pgo-generate'].subjects.app, { app: workspace.app }, {});
    expect(thrown(ofApp).what).toContain('options.pgo-generate: there is no option "limitFactor"');
    const ofKernel = () => configure(stages['pgo-use'].subjects.reproducer, { reproducer }, {});
    expect(thrown(ofKernel).what).toContain('options.pgo-use: there is no option "rounds"');
    const former = Object.keys(formerVerbs).at(-1) ?? '';
    workspace.write('app/kernloop.json', { name: 'app', command: ['./program'], options: { [former]: {} } });
    expect(thrown(ofApp).what).toContain(`there is no stage "${former}" (did you mean "pgo-use"?)`);
  });

  it('ends with the default, and says so', () => {
    workspace = new TestWorkspace();
    const { values, origins } = configure(stages.capture, { app: workspace.app }, {});
    expect([values.selfCheck, origins['selfCheck']]).toEqual([true, 'default']);
  });

  it.each([
    [{}, {}, ['softgpu', 'gfx1030'], ['the program', 'the program']],
    [{ softgpu: 'gfx942' }, {}, ['softgpu', 'gfx942'], ['default', 'flag --softgpu']],
    [{ device: 'hsa' }, {}, ['hsa', 'gfx1030'], ['flag --device', 'the program']],
    [{}, { KERNLOOP_DEVICE: 'cuda' }, ['cuda', 'gfx1030'], ['KERNLOOP_DEVICE', 'the program']],
  ])('takes the device of a command from the program, unless told: %j, %j', (flags, env, values, from) => {
    workspace = new TestWorkspace();
    workspace.writeBytes('alone/demo', programWith({ '.hip_fatbin': bundle(['gfx1030']) }));
    const given = { app: workspace.path('alone'), command: ['./demo'], ...flags };
    const { values: found, origins } = configure(stages.profile, given, env);
    expect([found.device, found.softgpu]).toEqual(values);
    expect([origins['device'], origins['softgpu']]).toEqual(from);
  });

  it.each([
    [9, '9'],
    [[1, 9], '1,9'],
    ['1-', '1-'],
  ])('takes %j in a file where an option is a list of numbers as text', (given, text) => {
    workspace = new TestWorkspace({ options: { capture: { dispatch: given } } });
    const reproducer = writeReproducer(workspace, { options: { validate: { capture: given } } });
    expect(configure(stages.capture, { app: workspace.app }, {}).values.dispatch).toBe(text);
    expect(configure(stages.validate, { reproducer }, {}).values.capture).toBe(text);
  });

  it('takes the device from kernloop.json where it names one', () => {
    workspace = new TestWorkspace({ device: 'hsa' });
    const { values, origins } = configure(stages.capture, { app: workspace.app }, {});
    expect([values.device, origins['device']]).toEqual(['hsa', 'kernloop.json']);
  });

  it.each<[string, string, object, string, string]>([
    [
      'a misspelt stage',
      'kernel.json',
      { validat: { ulp: 1 } },
      'no stage "validat" (did you mean "validate"?)',
      'replay',
    ],
    ['a misspelt stage', 'kernloop.json', { validat: {} }, 'no stage "validat" (did you mean "validate"?)', 'capture'],
    ['nothing like a stage', 'kernel.json', { zzzzzzzzzzzzzz: {} }, 'no stage "zzzzzzzzzzzzzz"', 'validate'],
    [
      'a stage of the app',
      'kernel.json',
      { capture: {} },
      'capture takes no options from kernel.json',
      'kernloop.json',
    ],
    ['a stage of the reproducer alone', 'kernloop.json', { recompile: {} }, 'takes no options from', 'kernel.json'],
    ['a stage without a project', 'kernel.json', { store: {} }, 'store takes no options', 'command line'],
  ])('rejects options of %s in %s, whichever stage runs', (_name, file, options, message, hint) => {
    workspace = new TestWorkspace(file === 'kernloop.json' ? { options } : {});
    const reproducer = writeReproducer(workspace, file === 'kernel.json' ? { options } : {});
    const error = thrown(() => configure(stages.replay, { reproducer }, {}));
    expect([error.code, error.what]).toEqual(['CONFIG_INVALID', expect.stringContaining(message)]);
    expect(error.what).toContain(file);
    expect(error.hint).toContain(hint);
  });

  it.each([
    ['an unknown option in kernloop.json', { options: { capture: { maxByets: 1 } } }, {}, 'did you mean "maxBytes"?'],
    [
      'a value of the wrong type in kernloop.json',
      { options: { capture: { maxBytes: 'much' } } },
      {},
      '(from kernloop.json)',
    ],
    ['a variable that is no number', {}, { KERNLOOP_CAPTURE_MAX_BYTES: 'much' }, 'KERNLOOP_CAPTURE_MAX_BYTES'],
    ['a variable out of range', {}, { KERNLOOP_CAPTURE_ORDINAL: '0' }, '(from KERNLOOP_CAPTURE_ORDINAL)'],
  ])('rejects %s and names where it came from', (_name, config, env, message) => {
    workspace = new TestWorkspace(config);
    const act = (): unknown => configure(stages.capture, { app: workspace.app }, env);
    expect(act).toThrow(KernloopError);
    expect(act).toThrow(message);
  });
});
