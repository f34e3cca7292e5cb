import { mkdirSync, readFileSync } from 'node:fs';
import { fakeDeps, type FakeProgram } from '../testing/fake-deps';
import { failure } from '../testing/failure';
import { realArchive } from '../testing/real-archive';
import { reproducerForEachTest } from '../testing/workspace';
import {
  behaving,
  compilerOf,
  fakeHipcc,
  honest,
  tunableSource as source,
  writeTunable,
  type Behaviour,
} from '../tune/testing/fake-candidates';
import { judgeOptionsSchema } from './options';
import { exitCodeOf, judge } from './run';
import { isSealedBy, sealedSchema } from './seal';

const made = reproducerForEachTest();
beforeEach(() => writeTunable(made.workspace));

const depsWith = (behaviour: Behaviour, programs: Readonly<Record<string, FakeProgram>> = {}, more: object = {}) =>
  fakeDeps(
    { hipcc: fakeHipcc, 'kernloop-archive': realArchive, 'kernloop-replay': behaving(behaviour), ...programs },
    made.workspace.native,
    {
      env: compilerOf(made.workspace),
      ...more,
    },
  );

const options = (candidate: string[], more: object = {}) =>
  judgeOptionsSchema.parse({
    ...{ candidate, reproducer: [made.reproducer], home: made.workspace.path('home'), unsandboxed: true },
    ...more,
  });

const sourceOf = (rows: number): string => source.replace('kRows = 4', `kRows = ${rows}`);

describe('kernloop judge FILE…', () => {
  it('takes a source, a folder of files and a document, and prints a line of each', async () => {
    const { workspace } = made;
    const folder = 'folder/kernel_variant.hip';
    const files = [
      workspace.write('eight.hip', sourceOf(8)),
      workspace.write(folder, sourceOf(2)).replace('/kernel_variant.hip', ''),
      workspace.write('other.json', { files: { 'kernel_variant.hip': sourceOf(16) }, label: 'other' }),
    ];
    const deps = depsWith((rows) => ({ ...honest(rows, '', []), verdict: rows === '2' ? 'fail' : 'pass' }));
    const result = await judge(options(files, { reports: workspace.path('reports') }), deps);
    expect(result.judgements.map(({ label, verdict, ratio }) => [label, verdict, ratio])).toEqual([
      [files[0], 'pass', 0.5],
      [files[1], 'fail', null],
      ['other', 'pass', 0.25],
    ]);
    expect(deps.said.result.sort()).toEqual([
      expect.stringMatching(/eight\.hip: PASS {2}500 wave-instructions, 0\.500× the captured code$/),
      expect.stringMatching(/folder: FAIL {2}/),
      'other: PASS  250 wave-instructions, 0.250× the captured code',
    ]);
    expect(exitCodeOf(result)).toBe(1);
    for (const path of result.reports) {
      expect(path.startsWith(workspace.path('reports'))).toBe(true);
      const sealed = sealedSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
      expect(isSealedBy(sealed, result.public_key)).toBe(true);
    }
  });

  it.each([
    [['pass'], 0],
    [['pass', 'vacuous'], 3],
    [['vacuous', 'not-compiled', 'pass'], 1],
    [['fail', 'limit'], 4],
    [['fault', 'error'], 5],
  ] as const)('ends for %j with %i', (all, code) => {
    const judgements = all.map((verdict) => ({ verdict }) as Parameters<typeof exitCodeOf>[0]['judgements'][number]);
    expect(exitCodeOf({ judgements })).toBe(code);
  });

  it('refuses a file that is no source of the kernel, and one that is not there', async () => {
    const { workspace } = made;
    const deps = depsWith(honest);
    const python = workspace.write('variant.py', '');
    expect(await failure(judge(options([python]), deps))).toMatchObject({
      ...{ code: 'USAGE', what: expect.stringContaining('a single source replaces kernel_variant.hip') as string },
    });
    expect(await failure(judge(options([workspace.path('none.hip')]), deps))).toMatchObject({
      code: 'FILE_UNREADABLE',
    });
    mkdirSync(workspace.path('empty'));
    expect(await failure(judge(options([workspace.path('empty')]), deps))).toMatchObject({ code: 'CANDIDATE_REFUSED' });
  });

  it('prints no character that steers a terminal', async () => {
    const path = made.workspace.write('odd.json', {
      files: { 'kernel_variant.hip': sourceOf(8) },
      label: 'a\u001b[2Jb\nc',
    });
    const deps = depsWith(honest);
    await judge(options([path]), deps);
    expect(deps.said.result).toEqual([expect.stringMatching(/^a \[2Jb c: PASS {2}500/)]);
  });

  it('compiles nothing without a sandbox unless it is told to', async () => {
    const deps = depsWith(honest);
    const error = await failure(judge(options([made.workspace.write('a.hip', source)], { unsandboxed: false }), deps));
    expect([error.code, error.hint]).toEqual(['SANDBOX_UNAVAILABLE', expect.stringContaining('--unsandboxed')]);
    expect(deps.calls.map(({ program, args }) => [program, ...args])).toEqual([['kernloop-sandbox', '--probe']]);
  });

  it('is stopped by a signal, with no verdict on what was not judged', async () => {
    const controller = new AbortController();
    const deps = depsWith(honest, {
      hipcc: async (call) => {
        if (call.args.includes('--version')) return fakeHipcc(call);
        controller.abort('SIGINT');
        await call.stdinClosed;
        return { exitCode: null, signal: 'SIGKILL' };
      },
    });
    const error = await failure(
      judge(options([made.workspace.write('a.hip', sourceOf(8))]), { ...deps, signal: controller.signal }),
    );
    expect(error.code).toBe('INTERRUPTED');
  });
});
