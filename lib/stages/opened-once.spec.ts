import fs from 'node:fs';
import { basename, join } from 'node:path';
import { fakeDeps, type FakeProgram } from '../testing/fake-deps';
import { failure } from '../testing/failure';
import { fakeReplay } from '../testing/fake-programs';
import { reproducerForEachTest } from '../testing/workspace';
import { configure } from './configure';
import { stages } from './registry';
import { runStage } from './run';

/** A command opens its project once; how often its files are opened is the same in each run. */
describe('a command', () => {
  const made = reproducerForEachTest();

  afterEach(() => jest.restoreAllMocks());

  const validate = (replay: FakeProgram, opened: object | undefined): Promise<unknown> => {
    const deps = { ...fakeDeps({ 'kernloop-replay': replay }, made.workspace.native), opened };
    const flags = { reproducer: made.reproducer, replays: 1, adverse: false };
    return runStage(stages.validate, configure(stages.validate, flags, deps.env, opened).values, deps);
  };

  const opensOf = async (run: () => Promise<unknown>): Promise<Record<string, number>> => {
    const opens: Record<string, number> = { 'kernel.json': 0, 'kernloop.json': 0, 'capture.json': 0 };
    const open = fs.openSync;
    jest.spyOn(fs, 'openSync').mockImplementation((path, ...rest) => {
      const name = typeof path === 'string' ? basename(path) : '';
      if (name in opens) opens[name] = (opens[name] ?? 0) + 1;
      return open(path, ...rest);
    });
    await run();
    return opens;
  };

  it('opens the files of its project once, and kernel.json again to see whether it is still the same', async () => {
    expect(await opensOf(() => validate(fakeReplay(), {}))).toEqual({
      ...{ 'kernel.json': 2, 'kernloop.json': 1, 'capture.json': 1 },
    });
  });

  it('opens them at each step where many commands share the surroundings', async () => {
    const opens = await opensOf(() => validate(fakeReplay(), undefined));
    expect(opens['kernel.json']).toBeGreaterThan(2);
  });

  it('sees in a second command what was changed since the first', async () => {
    await validate(fakeReplay(), {});
    edit({ options: { validate: { replays: 0 } } });
    expect(await failure(validateLater())).toMatchObject({ code: 'USAGE' });
  });

  it('gives no verdict by a kernel.json that was changed meanwhile', async () => {
    const whileItRuns: FakeProgram = (call) => {
      edit({ demangled: 'another' });
      return fakeReplay()(call);
    };
    expect(await failure(validate(whileItRuns, {}))).toMatchObject({
      code: 'VARIANT_STALE',
      what: expect.stringMatching(/^kernel\.json is another one since it was judged: .* was PASS/) as string,
    });
  });

  const validateLater = async (): Promise<unknown> => {
    const flags = { reproducer: made.reproducer };
    return await Promise.resolve().then(() => configure(stages.validate, flags, {}, {}));
  };

  const edit = (changes: object): void => {
    const path = join(made.reproducer, 'kernel.json');
    fs.writeFileSync(path, JSON.stringify({ ...(JSON.parse(fs.readFileSync(path, 'utf8')) as object), ...changes }));
  };
});
