import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DecidedBy, Judgement } from '../judge/judgement-json';
import { candidateOptions, decidedHere, judgingIn } from '../judge/decided-by';
import { canonicalJson, publicKeyFile, signingKey, type Sealed } from '../judge/seal';
import { secretInputs } from '../judge/secret-inputs';
import { chooseDispatches } from '../replay/captured-dispatches';
import { openReproducer } from '../reproducer/reproducer';
import { jsonText, sha256, sha256OfFile } from '../support/files';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { failure } from '../testing/failure';
import { captureJson, reproducerForEachTest, someDigest, verifiedSelfcheck } from '../testing/workspace';
import { verifyReportOptionsSchema, type VerifyReportOptions } from './options';
import type { VerifyReportResult } from './result';
import { exitCodeOf, verifyReport } from './verify-report';

const recipe = { code_object: { captured: someDigest } };
const judgedAt = '2026-11-28T12:00:00.000Z';

describe('verify-report', () => {
  const made = reproducerForEachTest();
  let home: string;
  let deps: FakeDeps;
  beforeEach(() => {
    home = made.workspace.path('home');
    made.workspace.write('kernels/app/saxpy/pristine/recipe.json', recipe);
    made.workspace.write('kernels/app/saxpy/kernel_variant.hip', '#include "scale.h"\n');
    made.workspace.write('kernels/app/saxpy/deps/scale.h', '#define SCALE 2\n');
    made.workspace.write('kernels/app/saxpy/deps/unread.h', '');
    made.workspace.write('include/common.h', '');
    deps = fakeDeps({}, made.workspace.native, { clock: { now: () => new Date(judgedAt), monotonicMs: () => 0 } });
  });

  const inReproducer = (name: string): string => join(made.reproducer, name);
  const digest = (name: string): string => sha256OfFile(inReproducer(name));

  const options = (given: Partial<VerifyReportOptions> = {}): VerifyReportOptions =>
    verifyReportOptionsSchema.parse({ file: [made.workspace.path('report.json')], home, ...given });

  const decidedBy = (): DecidedBy => {
    const reproducer = openReproducer(made.reproducer);
    const given = candidateOptions(reproducer, options());
    const { chosen } = chooseDispatches(reproducer, undefined, 'all');
    return {
      ...decidedHere(reproducer, chosen, given, judgingIn(reproducer, given)),
      kernloop: '0.1.0',
      programs: { 'kernloop-replay': 'c'.repeat(64) },
      sources: Object.fromEntries(
        ['kernel_variant.hip', 'deps/scale.h', 'deps/unread.h'].map((name) => [name, digest(name)]),
      ),
      outside: { '../../../include/common.h': digest('../../../include/common.h') },
      compiler: 'clang 15',
      code_object: 'd'.repeat(64),
      configuration: null,
      secret_inputs: { commitment: 'e'.repeat(64) },
      device: { kind: 'softgpu', identity: 'softgpu-gfx90a' },
      sandboxed: true,
    };
  };

  const judgement = (changes: Partial<Judgement> = {}): Judgement => ({
    ...{ schema: 'kernloop.judgement/1', id: 'a1', kernel: 'saxpy', label: 'scal\u00e9', verdict: 'pass' },
    ...{ summary: '4,096 bytes compared', error: null, place: null, diagnostics: [], compared_bytes: 4096 },
    ...{ differing_bytes: 0, worst: [], races: [], derived_inputs: { judged: 4, dropped: 0 }, keeps_state: false },
    score: { wave_instructions: 1000, time_ns: null, time_ratio: null, time_ci95: null },
    ...{ ratio: 0.875, resources: null, decided_by: decidedBy() },
    ...{ durations_ms: { waited: 1.5, compile: 1e-7, judge: 3 }, from_cache: false, judged_at: judgedAt },
    ...changes,
  });

  const write = (report: unknown, name = 'report.json'): string => made.workspace.write(name, jsonText(report));
  const sealed = (changes: Partial<Judgement> = {}): Sealed => signingKey(home).seal(judgement(changes));
  /** A report that the trusted judge has signed, on something else. */
  const signed = (changes: Partial<DecidedBy>): void =>
    void write(sealed({ decided_by: { ...decidedBy(), ...changes } }));

  const verify = (given: Partial<VerifyReportOptions> = {}): Promise<VerifyReportResult> =>
    verifyReport(options(given), deps);
  const here = (given: Partial<VerifyReportOptions> = {}): Promise<VerifyReportResult> =>
    verify({ reproducer: made.reproducer, ...given });

  const refused = async (promise: Promise<unknown>): Promise<string> => {
    const { code, exitCode, what } = await failure(promise);
    expect([code, exitCode]).toEqual(['REPORT_FORGED', 1]);
    return what;
  };

  it('accepts a genuine pass, and says what it is of', async () => {
    write(sealed());
    const result = await here();
    expect(result).toMatchObject({ public_key: signingKey(home).publicKey, reproducer: 'saxpy' });
    expect(exitCodeOf(result)).toBe(0);
    expect(deps.said.result).toEqual([
      `${made.workspace.path('report.json')}: PASS  1,000 wave-instructions, 0.875× the captured code\n  saxpy, judged ${judgedAt} by Kernloop 0.1.0 on softgpu-gfx90a, sandboxed; of what is there now`,
    ]);
  });

  it('says so where it was held against no reproducer', async () => {
    write(sealed());
    expect((await verify()).reproducer).toBeNull();
    expect(deps.said.result[0]).toMatch(/; not held against a reproducer$/);
  });

  it('accepts a report that was written anew with other blanks, order and escapes', async () => {
    const { judgement: inner, ...rest } = sealed();
    const turned = Object.fromEntries(Object.entries(inner).reverse());
    const text = JSON.stringify({ ...rest, judgement: turned }, null, '\t').replace('scal\u00e9', 'scal\\u00e9');
    made.workspace.write('report.json', text);
    expect(exitCodeOf(await here())).toBe(0);
  });

  it.each([
    ['fail', 1, 'FAIL'],
    ['vacuous', 3, 'VACUOUS'],
    ['fault', 4, 'FAULT'],
    ['limit', 4, 'LIMIT'],
    ['not-launched', 1, 'NOT LAUNCHED'],
  ] as const)('ends with a genuine %s as such, in its words', async (verdict, code, words) => {
    write(sealed({ verdict, summary: '3 bytes differ', place: 'kernel_variant.hip:7', score: null, ratio: null }));
    expect(exitCodeOf(await here())).toBe(code);
    expect(deps.said.result[0]).toContain(`: ${words}  kernel_variant.hip:7: 3 bytes differ`);
  });

  it('tells the owner of the home the seed of the inputs, and nobody else', async () => {
    const by = decidedBy();
    write(sealed());
    const { seed, commitment } = secretInputs(home)(by);
    signed({ secret_inputs: { commitment } });
    const seedsOf = ({ reports }: VerifyReportResult): unknown =>
      reports.map(({ inputs_seed: inputsSeed }) => inputsSeed);
    expect(seedsOf(await here())).toEqual([seed]);
    expect(seedsOf(await here({ home: undefined, publicKey: signingKey(home).publicKey }))).toEqual([null]);
    // Drawn from another secret, or for another candidate.
    signed({ secret_inputs: { commitment: 'e'.repeat(64) } });
    expect(seedsOf(await here())).toEqual([null]);
    signed({ secret_inputs: { commitment }, configuration: { parameters: {} } });
    expect(seedsOf(await verify())).toEqual([null]);
  });

  it('refuses a report on inputs that anybody could derive, unless none were', async () => {
    const { secret_inputs: _inputs, ...older } = decidedBy();
    const report = (settings: object): void =>
      void write(sealed({ decided_by: { ...older, settings: { ...older.settings, inputsSeed: 1, ...settings } } }));
    report({});
    expect(await refused(here())).toMatch(/refused:\n {2}secret_inputs: a candidate could know/);
    report({ inputs: 0 });
    expect(exitCodeOf(await here({ inputs: 0 }))).toBe(0);
  });

  it('accepts no verdict on nothing as a pass', async () => {
    write(sealed({ verdict: 'not-compiled', decided_by: null, summary: 'line 3' }));
    expect(exitCodeOf(await here())).toBe(1);
    write(sealed({ decided_by: null }));
    expect(await refused(here())).toContain('judgement.decided_by: a pass names what decided it');
  });

  it('ends with the worst of several, and with a forged one in any case', async () => {
    const good = write(sealed(), 'good.json');
    const bad = write(sealed({ verdict: 'fail', score: null }), 'bad.json');
    expect(exitCodeOf(await here({ file: [good, bad] }))).toBe(1);
    const forged = write({ ...sealed(), signature: sealed({ id: 'b' }).signature }, 'forged.json');
    expect(await refused(here({ file: [good, forged, good] }))).toMatch(
      /^\S+forged\.json is refused:\n {2}signature: /,
    );
    expect(deps.said.result).toHaveLength(4);
  });

  describe('refuses a forged report', () => {
    type Step = string | number;
    const pathsIn = (value: unknown, path: Step[] = []): Step[][] => [
      ...(path.length === 0 ? [] : [path]),
      ...(typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([name, each]) => pathsIn(each, [...path, name]))
        : []),
    ];
    const other = (value: unknown): unknown => {
      if (typeof value === 'string') return value === 'pass' ? 'fail' : `${value}x`;
      if (typeof value === 'number') return value + 1;
      if (typeof value === 'boolean') return !value;
      if (value === null) return 0;
      return Array.isArray(value) ? [...(value as unknown[]), 'x'] : { ...value, x: 1 };
    };
    const edited = (value: unknown, [step, ...rest]: readonly Step[], edit: (value: unknown) => unknown): unknown => {
      if (step === undefined) return edit(value);
      const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<
        Step,
        unknown
      >;
      const now = edited(copy[step], rest, edit);
      if (now === undefined) delete copy[step];
      else copy[step] = now;
      return copy;
    };

    it('of which any field, however deep, was edited, taken out or added to', async () => {
      const genuine: unknown = JSON.parse(jsonText(sealed()));
      const paths = pathsIn(genuine);
      expect(paths.length).toBeGreaterThan(60);
      for (const path of paths)
        for (const edit of [other, () => undefined]) {
          write(edited(genuine, path, edit));
          expect([path, await refused(verify())]).toEqual([path, expect.stringMatching(/refused:\n {2}\S/)]);
        }
    });

    it('of which a field was taken for another that looks like it', async () => {
      const text = jsonText(sealed());
      for (const [from, to] of [
        ['scal\u00e9', 'scale\u0301'],
        ['"ratio": 0.875', '"ratio": 0.87500000000000011'],
        ['"ratio": 0.875', '"ratio": "0.875"'],
        ['"place": null', '"place": "null"'],
        ['"pass"', '"PASS"'],
        ['"sandboxed": true', '"sandboxed": 1'],
      ] as const) {
        expect(text).toContain(from);
        made.workspace.write(
          'report.json',
          text.replace(from, () => to),
        );
        expect(await refused(verify())).toContain('signature: ');
      }
    });

    it('with a number that is null to those who cannot read it', async () => {
      write(sealed({ decided_by: { ...decidedBy(), settings: { ...decidedBy().settings, atol: null } } }));
      const text = made.workspace.read('report.json');
      made.workspace.write('report.json', text.replace('"atol": null', '"atol": 1e999'));
      expect(await refused(verify())).toContain('has a number that no double holds: 1e999');
    });

    it.each([
      ['judgement', '"judgement": {', '"judgement": {}, "judgement": {'],
      ['verdict', '"verdict": "fail"', '"verdict": "fail", "verdict": "pass"'],
      ['verdict', '"verdict": "fail"', '"verdict": "pass", "verdict": "fail"'],
      ['verdict', '"verdict": "fail"', '"verdict": "fail", "\\u0076erdict": "pass"'],
      ['sandboxed', '"sandboxed": true', '"sandboxed": true, "sandboxed": true'],
    ])('with two keys %s', async (name, from, to) => {
      write(sealed({ verdict: 'fail' }));
      made.workspace.write(
        'report.json',
        made.workspace.read('report.json').replace(from, () => to),
      );
      expect(await refused(verify())).toContain(`has the key "${name}" a second time`);
    });

    it.each(['', 'judgement', 'judgement.decided_by', 'judgement.decided_by.settings'])(
      'with a prototype in "%s", and changes no prototype',
      async (place) => {
        const marker = '"marker": 0';
        write(
          edited(JSON.parse(jsonText(sealed())), place === '' ? [] : place.split('.'), (value) => ({
            marker: 0,
            ...(value as object),
          })),
        );
        made.workspace.write(
          'report.json',
          made.workspace.read('report.json').replace(marker, '"__proto__": {"verdict": "pass"}'),
        );
        expect(await refused(verify())).toContain('has the key "__proto__"');
        expect(({} as { verdict?: string }).verdict).toBeUndefined();
      },
    );

    it.each(['constructor', 'toString', 'hasOwnProperty', 'a'])(
      'with a key "%s" added beside the judgement',
      async (key) => {
        write({ ...sealed(), [key]: 1 });
        expect(await refused(verify())).toContain(`unknown field "${key}"`);
      },
    );

    it('that another judge signed, also with its key swapped in', async () => {
      const ours = sealed();
      const theirs = signingKey(made.workspace.path('theirs')).seal(judgement());
      write(theirs);
      expect(await refused(verify())).toMatch(/public_key: "\S{43}" is not the trusted \S{43}$/);
      write({ ...theirs, public_key: ours.public_key });
      expect(await refused(verify())).toContain('signature: ');
      write({ ...ours, public_key: theirs.public_key });
      expect(await refused(verify())).toContain('public_key: ');
    });

    it('with the signature of another report, a cut one, or another spelling of it', async () => {
      const genuine = sealed();
      const { signature } = genuine;
      const spellings = [
        sealed({ id: 'b' }).signature,
        signature.slice(2),
        `${signature}==`,
        ` ${signature}`,
        `${signature}AAAA`,
        '',
      ];
      for (const forged of spellings) {
        write({ ...genuine, signature: forged });
        expect(await refused(verify())).toContain('signature: ');
      }
    });

    it('that is signed over its text instead of its canonical JSON', async () => {
      const key = signingKey(home);
      const text = canonicalJson(judgement());
      write({ ...key.seal(text as unknown as Judgement), judgement: judgement() });
      expect(await refused(verify())).toContain('signature: ');
    });

    it('cut anywhere, empty, of another kind, or too large', async () => {
      const text = jsonText(sealed());
      for (let size = 0; size < text.trimEnd().length; size += 97) {
        made.workspace.write('report.json', text.slice(0, size));
        expect(await refused(verify())).toContain('it is not JSON of a judge');
      }
      for (const json of ['null', '[]', '"pass"', '{}', JSON.stringify(judgement())]) {
        made.workspace.write('report.json', json);
        expect(await refused(verify())).toMatch(/refused:\n {2}\S/);
      }
      truncateSync(made.workspace.path('report.json'), 17 * 1024 * 1024);
      expect(await refused(verify())).toContain('it is larger than');
    });

    it('without letting it steer the terminal', async () => {
      write({ ...sealed(), '\u001b[2J\u009b': 1 });
      expect(await refused(verify())).not.toMatch(/[^\P{Cc}\n]/u);
      write(sealed({ verdict: 'fail', summary: '\u001b[2Jall is well\rPASS' }));
      await verify();
      expect(deps.said.result.join('\n')).not.toMatch(/[^\P{Cc}\n]/u);
    });
  });

  describe('refuses a genuine report of something else', () => {
    const digestOfElse = 'e'.repeat(64);

    it.each([
      ['kernel.json', 'kernel_json: kernel.json is another one', { kernel_json: digestOfElse }],
      ['recipe', 'recipe: pristine/recipe.json is another one', { recipe: digestOfElse }],
      ['overlay', 'overlay: pristine/overlay.template.json is another one', { overlay: digestOfElse }],
      ['launch', 'configuration: macros or launch are other ones', { configuration: { block: '64' } }],
    ])('of another %s', async (_what, words, changes) => {
      signed(changes);
      expect(await refused(here())).toContain(`\n  ${words}`);
    });

    it('of another kernel', async () => {
      write(sealed({ kernel: 'axpby' }));
      expect(await refused(here())).toContain('kernel: it is of "axpby", and the reproducer of saxpy');
    });

    it.each([
      ['another capture', { capture: digestOfElse }, 'captures: that of dispatch 1 is another one'],
      ['an older self-check', { selfcheck: digestOfElse }, 'captures: the self-check of dispatch 1 is another one'],
      ['another dispatch', { dispatch: 9 }, 'captures: dispatch 9 judged it, and is not among those here'],
    ])('of %s', async (_what, change, words) => {
      signed({ captures: decidedBy().captures.map((one) => ({ ...one, ...change })) });
      expect(await refused(here())).toContain(words);
    });

    it('that fewer dispatches judged than are captured', async () => {
      signed({ captures: [] });
      expect(await refused(here())).toContain('captures: dispatch 1, which is captured here, did not judge it');
    });

    it.each([
      ['a wider tolerance', { atol: 0.5 }, 'settings.atol: it is not set here, and was 0.5'],
      ['no derived inputs', { inputs: 0 }, 'settings.inputs: it is 4 here, and was 0'],
      ['fewer replays', { replays: 1 }, 'settings.replays: it is 2 here, and was 1'],
      ['a race that is allowed', { adverse: false }, 'settings.adverse: it is not set here, and was false'],
      ['a setting that nobody knows', { toString: 1 }, 'settings.toString: it is not set here, and was 1'],
    ])('by %s', async (_what, change, words) => {
      signed({ settings: { ...decidedBy().settings, ...change } });
      expect(await refused(here())).toContain(words);
    });

    it('of another source, header or file outside, and of a file that is gone', async () => {
      const { sources, outside } = decidedBy();
      signed({
        sources: { ...sources, 'deps/scale.h': digestOfElse },
        outside: { ...outside, '../x.h': digestOfElse },
      });
      expect(await refused(here())).toMatch(
        /sources: deps\/scale\.h is another one\n {2}outside: "\.\.\/x\.h" is not here/,
      );
      signed({ sources: { ...sources, constructor: digestOfElse } });
      expect(await refused(here())).toContain('sources: "constructor" is not here');
    });

    it('without a sandbox, or too old, where more is asked', async () => {
      signed({ sandboxed: false });
      expect(await refused(here({ requireSandbox: true }))).toContain('sandboxed: it was compiled without the sandbox');
      expect(exitCodeOf(await here())).toBe(0);
      const old = { file: [write(sealed({ judged_at: '2026-11-28T09:00:00.000Z' }))], maxAgeHours: 2 };
      expect(await refused(here(old))).toContain('judged_at: 2026-11-28T09:00:00.000Z is not in the last 2 h');
      for (const time of ['2026-11-28T13:00:00.000Z', 'soon'])
        expect(await refused(here({ file: [write(sealed({ judged_at: time }))], maxAgeHours: 2 }))).toContain(time);
      expect(exitCodeOf(await here({ file: [write(sealed())], maxAgeHours: 2, requireSandbox: true }))).toBe(0);
    });

    const edits: readonly (readonly [string, () => void, RegExp])[] = [
      [
        'the source',
        () => writeFileSync(inReproducer('kernel_variant.hip'), '//'),
        /sources: kernel_variant.hip is another/,
      ],
      [
        'a header',
        () => writeFileSync(inReproducer('deps/scale.h'), '#define SCALE 3'),
        /sources: deps\/scale.h is another/,
      ],
      [
        'a file that no compiler told of',
        () => writeFileSync(inReproducer('deps/unread.h'), '//'),
        /sources: deps\/unread.h is another/,
      ],
      [
        'a header of the workspace',
        () => void made.workspace.write('include/common.h', '//'),
        /outside: \S+common.h is another/,
      ],
      [
        'a header that hides another',
        () => writeFileSync(inReproducer('scale.h'), ''),
        /sources: scale.h was not there/,
      ],
      [
        'the recipe',
        () => writeFileSync(inReproducer('pristine/recipe.json'), JSON.stringify({ ...recipe, a: 1 })),
        /recipe: /,
      ],
      [
        'the tolerance of the app',
        () =>
          void made.workspace.write('app/kernloop.json', {
            ...{ name: 'app', command: ['x'], kernels: [], options: { validate: { rtol: 0.1 } } },
          }),
        /refused:\n {2}settings.rtol: it is 0.1 here, and was not set$/,
      ],
      [
        'the capture',
        () =>
          void made.workspace.write(
            'kernels/app/saxpy/capture/capture.json',
            captureJson({ execution: { wave_instructions: 1 } }),
          ),
        /captures: that of dispatch 1/,
      ],
      [
        'the self-check',
        () =>
          void made.workspace.write(
            'kernels/app/saxpy/capture/selfcheck.json',
            verifiedSelfcheck(inReproducer('capture/capture.json')),
          ),
        /captures: the self-check of dispatch 1/,
      ],
      [
        'the captures, of which there is one more',
        () => {
          mkdirSync(inReproducer('captures/2'), { recursive: true });
          writeFileSync(inReproducer('captures/2/capture.json'), readFileSync(inReproducer('capture/capture.json')));
        },
        /captures: dispatch 2, which is captured here/,
      ],
    ];

    it.each(edits)('when %s changed since', async (_what, edit, words) => {
      write(sealed());
      edit();
      expect(await refused(here())).toMatch(words);
    });

    it('never for a file that decides nothing', async () => {
      write(sealed());
      for (const name of ['README.md', 'notes.md', 'judged.json', 'reports/a.json', 'build/variant.hsaco'])
        made.workspace.write(`kernels/app/saxpy/${name}`, 'x');
      expect(exitCodeOf(await here())).toBe(0);
    });
  });

  describe('with a candidate', () => {
    const text = '#include "scale.h"\n// faster\n';

    it('accepts a report on it alone, and changes nothing', async () => {
      const candidate = made.workspace.write('fast.hip', text);
      signed({ sources: { ...decidedBy().sources, 'kernel_variant.hip': sha256(text) } });
      expect(exitCodeOf(await here({ candidate: [candidate] }))).toBe(0);
      expect(await refused(here())).toContain('sources: kernel_variant.hip is another one');
      expect((await failure(here())).hint).toContain('--candidate FILE');
      write(sealed());
      expect(await refused(here({ candidate: [candidate] }))).toContain('sources: kernel_variant.hip is another one');
      expect(readFileSync(inReproducer('kernel_variant.hip'), 'utf8')).toBe('#include "scale.h"\n');
    });

    it('holds its launch against the report, and refuses files that are none of a candidate', async () => {
      const document = { files: {}, configuration: { block: '64' } };
      const candidate = made.workspace.write('fast.json', document);
      write(sealed());
      expect(await refused(here({ candidate: [candidate] }))).toContain('configuration: ');
      const escaping = made.workspace.write('evil.json', { files: { '../out.h': 'x' } });
      expect((await failure(here({ candidate: [escaping] }))).code).toBe('CANDIDATE_REFUSED');
    });

    it('wants the reproducer, and as many candidates as reports', async () => {
      write(sealed());
      const candidate = [made.workspace.write('fast.hip', text)];
      expect((await failure(verify({ candidate }))).code).toBe('USAGE');
      const report = made.workspace.path('report.json');
      expect((await failure(here({ candidate, file: [report, report] }))).code).toBe('USAGE');
    });
  });

  describe('trusts a key', () => {
    it('by its text or its file, ahead of that of the home, and makes none', async () => {
      write(sealed());
      const key = signingKey(home).publicKey;
      const nowhere = made.workspace.path('nowhere');
      for (const publicKey of [key, publicKeyFile(home)])
        expect((await verify({ publicKey, home: nowhere })).public_key).toBe(key);
      const theirs = signingKey(made.workspace.path('theirs')).publicKey;
      expect(await refused(verify({ publicKey: theirs }))).toContain('public_key: ');
      const { code, hint } = await failure(verify({ home: nowhere }));
      expect([code, hint]).toEqual(['FILE_UNREADABLE', expect.stringContaining('--public-key')]);
      expect(existsSync(nowhere)).toBe(false);
    });

    it('in no other spelling, and never a private one', async () => {
      write(sealed());
      const key = signingKey(home).publicKey;
      for (const publicKey of [join(home, 'key.pem'), `${key}=`, made.workspace.write('empty', '')])
        expect(['USAGE', 'FILE_UNREADABLE']).toContain((await failure(verify({ publicKey }))).code);
    });
  });
});
