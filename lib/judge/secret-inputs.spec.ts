import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { thrown } from '../testing/failure';
import { TestWorkspace } from '../testing/workspace';
import { secretFile, secretInputs, secretInputsIn, type DrawnFor } from './secret-inputs';

describe('inputs that nobody outside of the home of a judge can know', () => {
  let workspace: TestWorkspace;
  let home: string;
  beforeEach(() => {
    workspace = new TestWorkspace();
    workspace.write('home/note', '');
    workspace.write('other/note', '');
    home = workspace.path('home');
  });
  afterEach(() => workspace.dispose());

  const candidate = (text: string, more: Partial<DrawnFor> = {}): DrawnFor => ({
    captures: [{ dispatch: 1, capture: 'c'.repeat(64), selfcheck: 's'.repeat(64) }],
    sources: { 'kernel_variant.hip': text },
    configuration: null,
    ...more,
  });

  it('are the same whenever a candidate is sent, also to the next judge of the home', () => {
    const drawn = secretInputs(home)(candidate('a'));
    expect(secretInputs(home)(candidate('a'))).toEqual(drawn);
    expect(secretInputsIn(home)?.(candidate('a'))).toEqual(drawn);
    expect(Number.isSafeInteger(drawn.seed)).toBe(true);
  });

  it('are others for each candidate, configuration, capture and home', () => {
    const draw = secretInputs(home);
    const all = [
      draw(candidate('a')),
      draw(candidate('b')),
      draw(candidate('a', { configuration: { parameters: { WIDTH: 2 } } })),
      draw(candidate('a', { captures: [{ dispatch: 2, capture: 'c'.repeat(64), selfcheck: 's'.repeat(64) }] })),
      secretInputs(workspace.path('other'))(candidate('a')),
    ];
    expect(new Set(all.map(({ seed }) => seed)).size).toBe(all.length);
    expect(new Set(all.map(({ commitment }) => commitment)).size).toBe(all.length);
  });

  it('do not depend on the order in which a report names its files', () => {
    const draw = secretInputs(home);
    const [one, other] = [
      { a: '1', b: '2' },
      { b: '2', a: '1' },
    ].map((sources) => draw(candidate('', { sources })));
    expect(one).toEqual(other);
  });

  it('come from a file of the owner alone; one that others can read is refused', () => {
    secretInputs(home);
    const path = secretFile(home);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toMatch(/^[\w-]{43}\n$/);
    chmodSync(path, 0o640);
    expect(thrown(() => secretInputs(home))).toMatchObject({ code: 'KEY_EXPOSED' });
    writeFileSync(path, 'short\n');
    chmodSync(path, 0o600);
    expect(thrown(() => secretInputs(home))).toMatchObject({ code: 'KEY_EXPOSED' });
  });

  it('are unknown to whoever has not the home, and looking makes no secret', () => {
    expect(secretInputsIn(home)).toBeNull();
    expect(secretInputsIn(workspace.path('nowhere'))).toBeNull();
  });
});
