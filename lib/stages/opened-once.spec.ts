import fs from 'node:fs';
import { basename, join } from 'node:path';
import { fakeDeps, type FakeProgram } from '../testing/fake-deps';
import { failure } from '../testing/failure';
import { fakeReplay } from '../testing/fake-programs';
import { reproducerForEachTest, someDigest, writeVariant } from '../testing/workspace';
import { compileConditions } from '../recompile/current-variant';
import { openReproducer } from '../reproducer/reproducer';
import { sha256OfFile } from '../support/files';
import { ReadOnce } from '../support/read-once';
import { configure } from './configure';
import { stages } from './registry';
import { runStage } from './run';

/** A command opens its project once; how often its files are opened and parsed is the same in each run. */
describe('a command', () => {
  const made = reproducerForEachTest();

  afterEach(() => jest.restoreAllMocks());

  const validate = (replay: FakeProgram, opened: ReadOnce | undefined): Promise<unknown> => {
    const deps = { ...fakeDeps({ 'kernloop-replay': replay }, made.workspace.native), opened };
    const flags = { reproducer: made.reproducer, replays: 1, adverse: false };
    return runStage(stages.validate, configure(stages.validate, flags, deps.env, opened).values, deps);
  };

  /** A source that was edited and built, so that nothing has to be compiled. */
  const build = (): void => {
    const root = 'kernels/app/saxpy';
    const { workspace, reproducer } = made;
    workspace.write(`${root}/kernel_variant.hip`, '__global__ void saxpy() { }\n');
    workspace.write(`${root}/deps/a.hip`, '');
    workspace.write(`${root}/pristine/overlay.template.json`, {});
    const recipe = workspace.write(`${root}/pristine/recipe.json`, {
      ...{ schema: 'kernloop.recipe/1', language: 'hip', symbol: 's', compiler: { name: 'hipcc', version: '1' } },
      ...{ environment: {}, target: 'gfx90a', arguments: [], main: 'a.hip', signature: null, aliases: {}, files: {} },
      variant: { file: 'kernel_variant.hip', stands_for: 'a.hip' },
      code_object: { captured: someDigest, recompiled: someDigest },
      notes: [],
    });
    writeVariant(workspace, {
      outside: {},
      recipe_sha256: sha256OfFile(recipe),
      conditions_sha256: compileConditions(openReproducer(reproducer), {}, fakeDeps({}, workspace.native).env),
    });
    // Texts that no other spec of this process has parsed.
    for (const file of [`${root}/kernel.json`, 'app/kernloop.json'])
      workspace.write(file, `${workspace.read(file)}\n \n`);
  };

  type Counts = Record<string, number>;

  const countsOf = async (run: () => Promise<unknown>): Promise<{ opens: Counts; parses: Counts }> => {
    const [opens, parses]: [Counts, Counts] = [{}, {}];
    const texts = new Map<string, string>();
    const { openSync } = fs;
    jest.spyOn(fs, 'openSync').mockImplementation((path, ...rest) => {
      const name = basename(String(path));
      if (names.includes(name)) {
        opens[name] = (opens[name] ?? 0) + 1;
        texts.set(fs.readFileSync(String(path), 'utf8'), name);
      }
      return openSync(path, ...rest);
    });
    const { parse } = JSON;
    jest.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
      const name = texts.get(text);
      if (name !== undefined) parses[name] = (parses[name] ?? 0) + 1;
      return parse(text, reviver) as unknown;
    });
    await run();
    jest.restoreAllMocks();
    return { opens, parses };
  };
  const names = [
    ...['kernel.json', 'kernloop.json', 'capture.json', 'selfcheck.json'],
    ...['recipe.json', 'overlay.template.json', 'variant.json'],
  ];

  it('opens the files of its project once, and those again that decide what is judged, to see whether they are still the same', async () => {
    build();
    const { opens, parses } = await countsOf(() => validate(fakeReplay(), new ReadOnce()));
    const once = { 'kernel.json': 1, 'kernloop.json': 1, 'capture.json': 1, 'selfcheck.json': 1 };
    expect(opens).toEqual({
      ...once,
      'overlay.template.json': 1,
      ...{ 'kernel.json': 2, 'recipe.json': 2, 'variant.json': 2 },
    });
    expect(parses).toEqual({ ...once, 'recipe.json': 1, 'variant.json': 1 });
  });

  it('opens them at each step where many commands share the surroundings', async () => {
    const { opens } = await countsOf(() => validate(fakeReplay(), undefined));
    expect(opens['kernel.json']).toBeGreaterThan(2);
  });

  it('sees in a second command what was changed since the first', async () => {
    await validate(fakeReplay(), new ReadOnce());
    edit({ options: { validate: { replays: 0 } } });
    expect(await failure(validateLater())).toMatchObject({ code: 'USAGE' });
  });

  it('gives no verdict by a kernel.json that was changed meanwhile', async () => {
    const whileItRuns: FakeProgram = (call) => {
      edit({ demangled: 'another' });
      return fakeReplay()(call);
    };
    expect(await failure(validate(whileItRuns, new ReadOnce()))).toMatchObject({
      code: 'VARIANT_STALE',
      what: expect.stringMatching(/^kernel\.json is another one since it was judged: .* was PASS/) as string,
    });
  });

  const validateLater = async (): Promise<unknown> => {
    const flags = { reproducer: made.reproducer };
    return await Promise.resolve().then(() => configure(stages.validate, flags, {}, new ReadOnce()));
  };

  const edit = (changes: object): void => {
    const path = join(made.reproducer, 'kernel.json');
    fs.writeFileSync(path, JSON.stringify({ ...(JSON.parse(fs.readFileSync(path, 'utf8')) as object), ...changes }));
  };
});
