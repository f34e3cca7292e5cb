import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '../testing/failure';
import { fakeDeps } from '../testing/fake-deps';
import { fakeReplay } from '../testing/fake-programs';
import { reproducerForEachTest } from '../testing/workspace';
import { sha256OfFile } from '../support/files';
import { replay } from '../replay/replay';
import { replayOptionsSchema } from '../replay/options';
import { validate } from '../validate/validate';
import { validateOptionsSchema } from '../validate/options';
import { selfcheckFile, selfcheckSchema } from './capture-files';
import { readSelfcheck, writeSelfcheck } from './selfcheck-seal';

/** The self-check decides which results pass: a widened interval lets a wrong result through. */
describe('the seal of a self-check', () => {
  const made = reproducerForEachTest();
  const folder = (): string => join(made.reproducer, 'capture');
  const path = (): string => selfcheckFile(folder());
  const range = { region: 'r0', offset: 0, count: 4, dtype: 'f32', min: [0, 0, 0, 0], max: [1, 1, 1, 1] };
  const seal = (): void => {
    const {
      verdict: _verdict,
      varying: _varying,
      ...rest
    } = JSON.parse(readFileSync(path(), 'utf8')) as object & {
      verdict: string;
      varying: unknown;
    };
    writeSelfcheck(folder(), selfcheckSchema.parse({ ...rest, verdict: 'nondeterministic', varying: [range] }));
  };
  const edit = (change: (text: string) => string): void => {
    const text = readFileSync(path(), 'utf8');
    const edited = change(text);
    expect(edited).not.toBe(text);
    writeFileSync(path(), edited);
  };
  const deps = () => fakeDeps({ 'kernloop-replay': fakeReplay() }, made.workspace.native);
  const options = () => validateOptionsSchema.parse({ reproducer: made.reproducer, adverse: false });

  it.each<[string, (text: string) => string]>([
    ['a wider interval', (text) => text.replace(/"max": \[\s*1/, '"max": [ 9')],
    ['another verdict', (text) => text.replace('"nondeterministic"', '"verified"')],
    ['a field of its own', (text) => text.replace('{', '{ "note": 1,')],
    ['another seal', (text) => text.replace(/("content_sha256": ")[0-9a-f]/, '$1x').replace('"x', '"0')],
  ])('is broken by %s, and nothing is judged', async (_name, change) => {
    seal();
    edit(change);
    const fake = deps();
    const error = await failure(validate(options(), fake));
    expect([error.code, error.exitCode, fake.calls]).toEqual([
      expect.stringMatching(/SELFCHECK_EDITED|CONFIG_INVALID/),
      2,
      [],
    ]);
    expect(error.what).toContain(path());
  });

  it('is not broken by another layout', async () => {
    seal();
    edit((text) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text) as object).reverse())));
    expect(readSelfcheck(folder(), '').seal).toBe('intact');
    const { sha256 } = readSelfcheck(folder(), '');
    const fake = deps();
    const report = await validate(options(), fake);
    expect(report.dispatches.map(({ selfcheck_sha256: digest }) => digest)).toEqual([sha256]);
    expect(sha256).toBe(sha256OfFile(path()));
    expect(fake.said.result.at(-1)).not.toContain('seal');
  });

  it('is missed in the result where there is none, as in what older versions wrote', async () => {
    seal();
    edit((text) => text.replace(/,\s*"content_sha256": "[0-9a-f]+"/, ''));
    const fake = deps();
    await validate(options(), fake);
    expect(fake.said.result.at(-1)).toMatch(
      /^Result: PASS \(.*NOT known: whether the self-check of capture was edited, which has no seal \(of an older version\)/,
    );
  });

  it('is doubted by replay where it is broken', async () => {
    seal();
    edit((text) => text.replace('"nondeterministic"', '"verified"'));
    const fake = deps();
    await replay(replayOptionsSchema.parse({ reproducer: made.reproducer }), fake);
    expect(fake.said.warn.join()).toContain('capture: its self-check was edited');
  });
});
