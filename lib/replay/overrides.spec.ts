import { kernelJsonSchema } from '../reproducer/kernel-json';
import { failure } from '../testing/failure';
import { fakeDeps } from '../testing/fake-deps';
import { fakeReplay, flag } from '../testing/fake-programs';
import { kernelJson, TestWorkspace, writeReproducer } from '../testing/workspace';
import { launchOverrides } from './overrides';
import { replayOptionsSchema } from './options';
import { replay } from './replay';

const arg = (index: number, name: string | null, type: string) => ({
  index,
  name,
  type,
  declared: null,
  role: 'in',
  element: null,
  offset: 8 * index,
  size: 8,
  kind: 'by_value',
});
const args = [
  arg(0, 'out', 'float*'),
  arg(1, 'n', 'unsigned int const'),
  arg(2, null, 'ns::Pair'),
  arg(3, 'on', 'bool'),
];
const kernel = kernelJsonSchema.parse(kernelJson({ args }));
const overridesOf = (...given: string[]) => launchOverrides(replayOptionsSchema.parse({ arg: given }), kernel).args;

describe('overrides of the launch', () => {
  it('gives arguments by name the position and the type of the signature', () => {
    expect(overridesOf('n=5', 'out=0x10', '3=1')).toEqual(['1:u32=5', '0:ptr=0x10', '3:u8=1']);
    expect(overridesOf('n:f32=0.5')).toEqual(['1:f32=0.5']);
  });

  it('refuses two values for one argument, however it is named', async () => {
    for (const second of ['n=6', '1=6', 'n:f32=0.5']) {
      const error = await failure(Promise.resolve(second).then((given) => overridesOf('n=5', given)));
      expect(error).toMatchObject({ code: 'USAGE', what: `--arg ${second}: this argument has a value already` });
    }
  });

  it('leaves what has no type to the program, which refuses it', () => {
    expect(overridesOf('2=5')).toEqual(['2=5']);
  });

  it('names the arguments that there are', async () => {
    const error = await failure(Promise.resolve('m=5').then((given) => overridesOf(given)));
    expect(error).toMatchObject({ code: 'ARGUMENT_UNKNOWN', hint: 'it has 0 (out), 1 (n), 2, 3 (on)' });
  });

  it('passes arguments of a kernel without a signature on', () => {
    const bare = kernelJsonSchema.parse(kernelJson());
    const given = replayOptionsSchema.parse({ arg: ['2:i32=7'] });
    expect(launchOverrides(given, bare).args).toEqual(['2:i32=7']);
  });

  it.each([
    { grid: '1,2,3,4' },
    { grid: '' },
    { grid: '4,0' },
    { block: '99999999999' },
    { block: '4x4' },
    { dynamicShared: -1 },
    { arg: ['n'] },
  ])('refuses %j', (bad) => {
    expect(replayOptionsSchema.safeParse(bad).success).toBe(false);
  });

  describe('in a replay', () => {
    let workspace: TestWorkspace;
    let reproducer: string;
    beforeEach(() => {
      workspace = new TestWorkspace();
      reproducer = writeReproducer(workspace, { args });
    });
    afterEach(() => workspace.dispose());

    it('are said in the text and in the result', async () => {
      const event = {
        event: 'overridden',
        grid_blocks: { from: [4, 1, 1], to: [8, 1, 1] },
        arguments: [{ index: 1, name: '', type: 'u32', offset: 8, from: 200, to: 5 }],
      };
      const fake = fakeDeps(
        { 'kernloop-replay': fakeReplay(() => [event, { event: 'result', verdict: 'ran' }]) },
        workspace.native,
      );
      const options = { reproducer, grid: '8', block: '64', dynamicShared: 0, arg: ['n=5'] };
      const result = await replay(replayOptionsSchema.parse(options), fake);
      const given = fake.calls[0]?.args ?? [];
      expect(['--grid', '--block', '--dynamic-shared', '--arg'].map((name) => flag(given, name))).toEqual([
        '8',
        '64',
        '0',
        '1:u32=5',
      ]);
      expect(result.overridden).toEqual({ grid_blocks: event.grid_blocks, arguments: event.arguments });
      expect(fake.said.result).toContain('overridden: grid 4,1,1 → 8,1,1 blocks; argument 1 200 → 5');
      expect(fake.said.result.at(-1)).toMatch(/^Result: RAN .*another launch than the captured one; .*never computed/);
    });

    it('is null for the captured launch', async () => {
      const fake = fakeDeps(
        { 'kernloop-replay': fakeReplay(() => [{ event: 'result', verdict: 'ran' }]) },
        workspace.native,
      );
      expect((await replay(replayOptionsSchema.parse({ reproducer }), fake)).overridden).toBeNull();
      expect(fake.calls[0]?.args).not.toContain('--grid');
    });

    it('passes the refusal of the program on', async () => {
      const refusal = { event: 'error', code: 'ARGUMENT_UNTYPED', message: 'what', hint: 'do' };
      const fake = fakeDeps({ 'kernloop-replay': ({ print }) => (print(refusal), 2) }, workspace.native);
      expect(await failure(replay(replayOptionsSchema.parse({ reproducer, arg: ['2=5'] }), fake))).toMatchObject({
        code: 'ARGUMENT_UNTYPED',
        exitCode: 2,
      });
    });
  });
});
