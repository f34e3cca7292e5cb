import { commandFile, commandVariable } from '../lib/stage/command-inputs';
import type { Stage } from '../lib/stage/stage';
import { stages } from '../lib/stages/registry';
import { thrown } from '../lib/testing/failure';
import { reproducerForEachTest } from '../lib/testing/workspace';
import { runStage } from './run-stage';
import { refuseUntracked } from './tracked';

/**
 * A task whose options go beyond its declared inputs and outputs: the cache would return its result for other inputs.
 */
describe('refuseUntracked', () => {
  const made = reproducerForEachTest();
  const context = (more: object = {}) => ({
    root: made.workspace.root,
    projectName: 'app-saxpy',
    targetName: 'validate',
    projectsConfigurations: {
      version: 2,
      projects: {
        'app-saxpy': { root: 'kernels/app/saxpy', targets: {} },
        app: {
          root: 'app',
          targets: { own: { cache: true, outputs: ['{projectRoot}/p.json'] }, loose: { cache: false } },
        },
      },
    },
    ...more,
  });
  const validate = (variant: string, tracked?: string[], reproducer = made.reproducer): void =>
    refuseUntracked(stages.validate, { reproducer, variant }, context(), {
      env: tracked ? { KERNLOOP_TRACKED_VARIANTS: JSON.stringify(tracked) } : {},
    });

  it('refuses a variant that the plugin has not hashed', () => {
    const path = made.workspace.write('elsewhere/mine.hsaco', 'code');
    expect(thrown(() => validate(path, ['other.hsaco']))).toMatchObject({ code: 'USAGE' });
    expect(() => validate(path, [path])).not.toThrow();
    expect(() => validate('../../../elsewhere/mine.hsaco', ['../../../elsewhere/mine.hsaco'])).not.toThrow();
    expect(() => validate(path)).not.toThrow();
  });

  it.each(['none', 'build/variant.hsaco', 'mine.hsaco', 'build/optimized.hsaco', 'missing.hsaco'])(
    'lets %s be: it is hashed, or an error of its own',
    (variant) => {
      for (const name of ['build/variant.hsaco', 'mine.hsaco', 'build/optimized.hsaco'])
        made.workspace.write(`kernels/app/saxpy/${name}`, 'code');
      expect(() => validate(variant, [])).not.toThrow();
    },
  );

  it('refuses to answer for another command, whose inputs it was hashed by', () => {
    const commanded = (env: Record<string, string>, stage: Stage = stages.validate): void =>
      refuseUntracked(stage, { reproducer: made.reproducer, variant: 'none' }, context(), { env });
    const begin = (id: string): unknown => made.workspace.write(commandFile, id);
    const own = { [commandVariable]: 'a' };
    expect(thrown(() => commanded(own))).toMatchObject({ code: 'COMMAND_OVERTAKEN' });
    begin('a');
    expect(() => commanded(own)).not.toThrow();
    begin('b');
    expect(thrown(() => commanded(own))).toMatchObject({ code: 'COMMAND_OVERTAKEN' });
    // Without the plugin there is no cache, and replay is not cached.
    for (const run of [() => commanded({}), () => commanded(own, stages.replay)]) expect(run).not.toThrow();
  });

  it('refuses a device that the plugin has not told of', () => {
    const validateOn = (device: string, named?: string[]): void =>
      refuseUntracked(stages.validate, { reproducer: made.reproducer, variant: 'none', device }, context(), {
        env: named ? { KERNLOOP_NAMED_DEVICES: JSON.stringify(named) } : {},
      });
    expect(thrown(() => validateOn('cuda', []))).toMatchObject({ code: 'USAGE' });
    expect(thrown(() => validateOn('cuda', ['hsa']))).toMatchObject({ code: 'USAGE' });
    for (const [device, named] of [
      ['cuda', ['cuda']],
      ['softgpu', []],
      ['cuda', undefined],
    ] as const)
      expect(() => validateOn(device, named && [...named])).not.toThrow();
    const capture = { app: made.workspace.app, device: 'hsa' };
    const env = { KERNLOOP_NAMED_DEVICES: '[]' };
    const target = context({ projectName: 'app', targetName: 'capture-saxpy' });
    expect(thrown(() => refuseUntracked(stages.capture, capture, target, { env }))).toMatchObject({ code: 'USAGE' });
    expect(() => refuseUntracked(stages.capture, { ...capture, device: 'softgpu' }, target, { env })).not.toThrow();
  });

  it('refuses it for whatever stage depends on the device, as its descriptor says', () => {
    const values = { reproducer: made.reproducer, device: 'cuda' };
    const toy = { name: 'toy', paths: [], task: { ...stages.validate.task, inputs: ['device'] } } as never;
    const other = { name: 'toy', paths: [], task: { ...stages.validate.task, inputs: ['toolchain'] } } as never;
    const env = { KERNLOOP_NAMED_DEVICES: '[]' };
    expect(thrown(() => refuseUntracked(toy, values, context(), { env }))).toMatchObject({ code: 'USAGE' });
    expect(() => refuseUntracked(other, values, context(), { env })).not.toThrow();
  });

  it('leaves to the task recompile what that writes: build/ is no output of a verdict', async () => {
    made.workspace.write('kernels/app/saxpy/kernel_variant.hip', 'edited');
    let told = '';
    jest.spyOn(process.stderr, 'write').mockImplementation((chunk) => ((told += String(chunk)), true));
    for (const recompile of [undefined, true]) {
      told = '';
      const ended = await runStage('validate', { reproducer: made.reproducer, recompile }, context());
      expect([ended, told]).toEqual([{ success: false }, expect.stringContaining('[VARIANT_MISSING]')]);
    }
    jest.restoreAllMocks();
  });

  it('refuses another project than that of the task', () => {
    const error = thrown(() => validate('none', [], made.workspace.path('kernels/app/other')));
    expect(error).toMatchObject({ code: 'USAGE', what: expect.stringContaining('kernels/app/saxpy') as string });
  });

  it.each([
    ['profile', 'app/.kernloop/profile.json', true],
    ['own', 'app/p.json', true],
    ['loose', 'anywhere.json', true],
    ['profile', 'anywhere.json', false],
    ['own', 'anywhere.json', false],
  ])('of the target %s, --output %s: %j', (targetName, output, isFine) => {
    const values = { app: made.workspace.app, output: made.workspace.path(output) };
    const refuse = () =>
      refuseUntracked(stages.profile, values, context({ projectName: 'app', targetName }), { env: {} });
    if (isFine) expect(refuse).not.toThrow();
    else
      expect(thrown(refuse)).toMatchObject({
        code: 'USAGE',
        what: expect.stringContaining('what it declares') as string,
      });
  });
});
