import { chmodSync, lstatSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { openApp } from '../app/app';
import { extract } from '../extract/extract';
import { extractOptionsSchema } from '../extract/options';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { fakeLock } from '../testing/fake-programs';
import { TestWorkspace } from '../testing/workspace';
import { bundle, programWith } from '../toolchain/testing/program-with';
import { declare } from './declare';
import { declareOptionsSchema } from './options';
import type { DeclareResult } from './result';

const commented = `{
  // The app of the specs.
  "name": "app",
  "command": ["./program"], /* no arguments */
  "kernels": [
    { "name": "saxpy", "match": "^saxpy\\\\(" } // the old one
  ]
}
`;

describe('declare', () => {
  let workspace: TestWorkspace;
  let deps: FakeDeps;

  beforeEach(() => {
    workspace = new TestWorkspace();
    deps = fakeDeps({ sh: fakeLock }, workspace.native);
  });
  afterEach(() => workspace.dispose());

  const run = (options: object): Promise<DeclareResult> =>
    declare(declareOptionsSchema.parse({ app: workspace.app, ...options }), deps);
  const text = (): string => workspace.read('app/kernloop.json');

  it('adds a kernel by its name, and keeps comments and layout, which every other stage reads', async () => {
    workspace.write('app/kernloop.json', commented);
    expect(await run({ name: 'reduce' })).toMatchObject({
      app: 'app',
      declared: { name: 'reduce', match: '(^|[ :])reduce([<(]|$)', ordinal: 1, scope: 'reachable' },
      reproducer: resolve(workspace.root, 'kernels/app/reduce'),
      launched: null,
    });
    for (const comment of ['// The app of the specs.', '/* no arguments */', '// the old one'])
      expect(text()).toContain(comment);
    expect(text()).not.toContain('ordinal');
    expect(openApp(workspace.app).config.kernels.map(({ name }) => name)).toEqual(['saxpy', 'reduce']);
    expect(deps.said.result.at(-1)).toMatch(/^Next, make it a project: kernloop extract .*reduce$/);
  });

  it('takes an expression and a selection', async () => {
    await run({ name: 'late', match: '^step<', dispatch: '3-5', each: 'geometry', after: '^warmup', scope: 'all' });
    expect((JSON.parse(text()) as { kernels: unknown[] }).kernels[1]).toEqual({
      name: 'late',
      match: '^step<',
      dispatch: '3-5',
      each: 'geometry',
      after: '^warmup',
      scope: 'all',
    });
  });

  it.each<[string, object, string, RegExp]>([
    ['a name that is taken', { name: 'saxpy', match: 'other' }, 'USAGE', /declares "saxpy" already/],
    ['a second name for the same launches', { name: 'twin', match: '^saxpy\\(' }, 'SELECTION_CONFLICT', /as "saxpy"/],
    ['two selections at once', { name: 'two', ordinal: 2, dispatch: '3' }, 'USAGE', /"ordinal" or "dispatch"/],
  ])('refuses %s, and writes nothing', async (_, options, code, what) => {
    const before = text();
    const error = await failure(run(options));
    expect([error.code, error.what, text()]).toEqual([code, expect.stringMatching(what), before]);
  });

  it('keeps an entry that another command writes while it waits for the lock', async () => {
    const entry = (name: string): object => ({ name, match: `^${name}` });
    const written = (...names: string[]): object => ({ name: 'app', command: ['./x'], kernels: names.map(entry) });
    workspace.write('app/kernloop.json', written());
    let holders = 0;
    deps = fakeDeps(
      {
        sh: async (call) => {
          expect(call.args.at(-1)).toBe(workspace.app);
          workspace.write('app/kernloop.json', written('other'));
          holders += 1;
          const ended = await fakeLock(call);
          // The lock is released only after the write.
          expect(text()).toContain('mine');
          return ended;
        },
      },
      workspace.native,
    );
    await run({ name: 'mine' });
    expect([holders, openApp(workspace.app).config.kernels.map(({ name }) => name)]).toEqual([1, ['other', 'mine']]);
  });

  it('declares without the lock where there is none, and warns', async () => {
    deps = fakeDeps({}, workspace.native);
    await run({ name: 'reduce' });
    expect(text()).toContain('reduce');
    expect(deps.said.warn).toEqual([expect.stringMatching(/cannot be locked/)]);
  });

  it('writes the file that a symbolic link names, and keeps the link', async () => {
    const link = join(workspace.app, 'kernloop.json');
    renameSync(link, join(workspace.root, 'shared.json'));
    symlinkSync('../shared.json', link);
    await run({ name: 'reduce' });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(workspace.read('shared.json')).toContain('reduce');
  });

  describe('of an app that was never profiled', () => {
    const program = (kernels: string, code = bundle(['gfx90a'])): void => {
      workspace.writeBytes('app/program', programWith({ '.hip_fatbin': Buffer.concat([code, Buffer.from(kernels)]) }));
      chmodSync(workspace.path('app/program'), 0o755);
    };
    const symbols = ['_Z5saxpyPff', '_ZN2ns12_GLOBAL__N_15scaleIfEEvPT_', 'plain', '_ZL6reducePi'];
    const all = symbols.map((symbol) => `\0${symbol}.kd\0`).join('');

    it.each(['scale', 'plain', 'reduce'])('says nothing of a kernel that its code has: %s', async (name) => {
      program(all);
      expect((await run({ name })).launched).toBeNull();
      expect([deps.said.warn, deps.said.info]).toEqual([[], []]);
    });

    it.each([
      [{ name: 'scale' }],
      [{ name: 'other', match: 'scale' }],
      [{ name: 'other', match: '^_ZN2ns12_GLOBAL__N_15scaleI' }],
    ])('warns of several kernels in its code that it matches, with an expression for each: %j', async (options) => {
      const [float = '', int = ''] = ['f', 'i'].map((type) => `_ZN2ns12_GLOBAL__N_15scaleI${type}EEvPT_`);
      // The code of each target has the same kernels.
      program(`${all}\0${int}.kd\0`.repeat(2));
      await run(options);
      expect(deps.said.warn).toEqual([
        `the code of program has 2 kernels that match: ${float}, ${int}; if the app launches more than one of them, capture refuses it: then the entry of ${options.name} in kernloop.json needs "match": "^${float}$" or "match": "^${int}$"`,
      ]);
    });

    it.each([
      ['one of its kernels', { name: 'scale' }],
      ['a kernel whose name begins like another one', { name: 'saxpy' }],
      ['several that are to be captured', { name: 'both', match: 'saxpy|plain', each: 'kernel' }],
    ])('does not warn of several for %s', async (_case, options) => {
      program(`${all}\0_Z9saxpy_twoPff.kd\0`);
      workspace.write('app/kernloop.json', { name: 'app', command: ['./program'], kernels: [] });
      await run(options);
      expect(deps.said.warn).toEqual([]);
    });

    it.each([
      [{ name: 'scal' }, 'scal is not declared: program has no kernel called scal: did you mean scale?'],
      [{ name: 'x', match: 'nope' }, 'x is not declared: no kernel in program seems to match /nope/: it has code of'],
      [{ name: 'unlike', wholeName: true }, 'it has plain, reduce, saxpy, scale;'],
    ])('refuses %j, which its code lacks, with the nearest, and writes nothing', async (options, what) => {
      program(all);
      const before = text();
      const error = await failure(run(options));
      expect([error.code, error.exitCode]).toEqual(['NO_MATCH', 2]);
      expect(error.what).toContain(what);
      expect(error.hint).toContain('--force');
      expect(text()).toBe(before);
      // An entry of that name is the first thing to tell.
      expect((await failure(run({ ...options, name: 'saxpy' }))).what).toContain('declares "saxpy" already');
    });

    it('takes what the last profile saw, as of code that is loaded while the app runs', async () => {
      program(all);
      const figures = { dispatches: 1, share: 1, total: 1, min: 1, median: 1, max: 1, geometries: [] };
      workspace.write('app/.kernloop/profile.json', {
        ...{ schema: 'kernloop.profile/1', app: 'app', device: { kind: 'softgpu', identity: 'x' } },
        ...{ work: 'wave_instructions', processes: 1, dispatches: 1, total: 1 },
        kernels: [{ name: 'loaded(float*)', symbol: '_Z6loadedPf', code_object: 'c', ...figures }],
      });
      expect((await run({ name: 'loaded' })).launched).toEqual(['loaded(float*)']);
      expect((await failure(run({ name: 'unlike' }))).code).toBe('NO_MATCH');
      expect((await run({ name: 'unlike', force: true })).launched).toEqual([]);
    });

    it('warns of a name that its code lacks, with the nearest, if it is to be declared all the same', async () => {
      program(all);
      await run({ name: 'scal', force: true });
      await run({ name: 'unlike', force: true });
      expect(deps.said.warn).toEqual([
        expect.stringMatching(/^program has no kernel called scal: did you mean scale\? `kernloop profile --app /),
        expect.stringMatching(/^program has no kernel called unlike; it has plain, reduce, saxpy, scale; /),
      ]);
      expect(text()).toContain('unlike');
      expect(text()).not.toContain('force');
    });

    it('warns of an expression that its code cannot match, with the nearest', async () => {
      program(all);
      await run({ name: 'one', match: '^scael[<(]', force: true });
      expect(deps.said.warn).toEqual([
        expect.stringMatching(
          /^no kernel in program seems to match \/\^scael\[<\(\]\/: it has code of scale; `kernloop/,
        ),
      ]);
    });

    it('refuses what is no regular expression, names the kernels that it may mean, and writes nothing', async () => {
      program(all);
      const before = text();
      const error = await failure(run({ name: 'x', match: 'scal(' }));
      expect(error).toMatchObject({ code: 'USAGE' });
      expect(error.what).toContain('--match scal(: Invalid regular expression');
      expect(error.hint).toContain("--match 'scal\\('");
      expect(error.hint).toContain('program has code of scale');
      expect((await failure(run({ name: 'x', match: '(((' }))).hint).toContain('code of plain, reduce, saxpy, scale');
      expect(text()).toBe(before);
    });

    it('names what is launched where a kernel is asked for that is not declared, nearest first', async () => {
      program(all);
      const hintFor = async (kernel: string): Promise<string> =>
        (await failure(extract(extractOptionsSchema.parse({ app: workspace.app, kernel: [kernel] }), deps))).hint;
      const commands = (name: string): string =>
        `\`kernloop declare --app ${relative(process.cwd(), workspace.app)} ${name}\`, then \`kernloop extract --app ${relative(process.cwd(), workspace.app)} ${name}\`; declared: saxpy`;
      expect(await hintFor('scale')).toBe(`program has code of scale, which is not declared: ${commands('scale')}`);
      expect(await hintFor('scael')).toMatch(/^did you mean scale\? program has code of scale, /);
      expect(await hintFor('unlike')).toMatch(/^program has code of plain, reduce, scale, which are not declared: /);
    });

    it.each<[string, object, () => void]>([
      ['whose program is a script', { name: 'scal' }, () => undefined],
      ['whose program is not built', { name: 'scal' }, () => rmSync(workspace.path('app/program'))],
      ['with compressed code', { name: 'scal' }, () => program(all, Buffer.from('CCOB'))],
      ['with an expression', { name: 'scal', match: 'ns::.*<float>' }, () => program(all)],
      ['with an expression of types', { name: 'scal', match: '<float>' }, () => program(all)],
    ])('says how to check one %s', async (_, options, make) => {
      make();
      await run(options);
      expect(deps.said.warn).toEqual([]);
      expect(deps.said.info).toEqual([
        expect.stringMatching(/^not checked: whether app launches .* `kernloop profile/),
      ]);
    });
  });

  it('takes other launches of a kernel that is declared', async () => {
    await run({ name: 'second', match: '^saxpy\\(', ordinal: 2 });
    expect(openApp(workspace.app).kernel('second').ordinal).toBe(2);
  });

  it('refuses an app whose name another one of the workspace has: the kernels of both would be one project', async () => {
    workspace.write('apps/group/other/kernloop.json', { name: 'app', command: ['./x'] });
    expect((await failure(run({ name: 'reduce' }))).code).toBe('APP_CONFLICT');
    expect(text()).not.toContain('reduce');
  });

  it('refuses another expression for the launches of a kernel that the last profile saw, and writes nothing', async () => {
    const declares = async (options: object): Promise<string[]> => {
      await run(options);
      return openApp(workspace.app).config.kernels.map(({ name }) => name);
    };
    await run({ name: 'rmax', match: 'reduce_max' });
    const figures = { dispatches: 1, share: 0.5, total: 1, min: 1, median: 1, max: 1, geometries: [] };
    workspace.write('app/.kernloop/profile.json', {
      ...{ schema: 'kernloop.profile/1', app: 'app', device: { kind: 'softgpu', identity: 'x' } },
      ...{ work: 'wave_instructions', processes: 1, dispatches: 2, total: 2 },
      kernels: ['max', 'min'].map((which) => ({
        ...{ name: `reduce_${which}(int*)`, symbol: `_Z10reduce_${which}Pi`, code_object: 'c' },
        ...figures,
      })),
    });
    const before = text();
    const error = await failure(run({ name: 'reduce_max' }));
    expect([error.code, error.what, text()]).toEqual([
      'SELECTION_CONFLICT',
      expect.stringContaining('as "rmax": in the last profile /reduce_max/ and'),
      before,
    ]);
    expect(await declares({ name: 'reduce_max', ordinal: 2 })).toContain('reduce_max');
    expect(await declares({ name: 'reduce_min' })).toContain('reduce_min');
    // The profile saw neither of them.
    expect(await declares({ name: 'reduce_sum', force: true })).toContain('reduce_sum');
    expect(await declares({ name: 'reduce_product', force: true })).toContain('reduce_product');
  });

  it('takes the launches of a declared kernel once more for a capture from elsewhere', async () => {
    await run({ name: 'reduce' });
    const { declared } = await run({ name: 'theirs', match: '(^|[ :])reduce([<(]|$)', from: 's.klcap' });
    expect(declared.from).toBe('s.klcap');
    expect(deps.said.result.at(-1)).toMatch(
      /^Next, put its capture there: kernloop unpack s.klcap --to \S+theirs\/capture$/,
    );
    expect((await failure(run({ name: 'mine', match: '(^|[ :])reduce([<(]|$)' }))).code).toBe('SELECTION_CONFLICT');
  });

  it('takes a name with its parameters for what it is, without a profile, too', async () => {
    const { declared } = await run({ name: 'sum', match: 'sum(float const*, float*, int)' });
    expect(declared.match).toBe('^sum\\(float const\\*, float\\*, int\\)$');
    expect((await run({ name: 'either', match: '(sum|mean)\\(' })).declared.match).toBe('(sum|mean)\\(');
    expect((await run({ name: 'group', match: 'sum(float|int)' })).declared.match).toBe('sum(float|int)');
  });

  it('says which kernel of the last profile it means, warns of none, and refuses several with an expression for each', async () => {
    const row = (name: string): object => ({
      ...{
        name,
        symbol: `_Z${name}`,
        code_object: 'c',
        dispatches: 1,
        share: 0.5,
        total: 1,
        min: 1,
        median: 1,
        max: 1,
      },
      geometries: [],
    });
    const kernels = ['void scale<float>(float*)', 'void scale<int>(int*)', 'reduce(float*)'].map(row);
    workspace.write('app/.kernloop/profile.json', {
      ...{ schema: 'kernloop.profile/1', app: 'app', device: { kind: 'softgpu', identity: 'x' } },
      ...{ work: 'wave_instructions', processes: 1, dispatches: 3, total: 3, kernels },
    });
    expect((await run({ name: 'reduce' })).launched).toEqual(['reduce(float*)']);
    expect(deps.said.warn).toEqual([]);
    expect((await run({ name: 'scal' })).launched).toEqual([]);
    expect(deps.said.warn).toEqual([
      expect.stringMatching(/^no kernel of the last profile matches; it saw .*scale<float>/),
    ]);
    const error = await failure(run({ name: 'scale' }));
    expect([error.code, error.what]).toEqual(['USAGE', expect.stringContaining('2 kernels of the last profile match')]);
    const [meant = ''] = /'(.*?)'/.exec(error.hint)?.slice(1) ?? [];
    expect((await run({ name: 'scale-float', match: meant })).launched).toEqual(['void scale<float>(float*)']);
    expect(await run({ name: 'scale-int', match: 'void scale<int>(int*)' })).toMatchObject({
      declared: { match: '^void scale<int>\\(int\\*\\)$' },
      launched: ['void scale<int>(int*)'],
    });
    expect(deps.said.info.join()).toContain('--match is taken for the whole name of a kernel');
    expect((await run({ name: 'scale', each: 'kernel' })).launched).toHaveLength(2);
    expect((await run({ name: 'last', match: 'scale', dispatch: 'last' })).launched).toHaveLength(2);
    expect((await run({ name: 'forced', match: 'scale<', force: true })).launched).toHaveLength(2);
  });
});
