import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noTokens, ownToken, tokensIn } from './tokens';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kernloop-tokens-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function fileOf(text: string, mode = 0o600): string {
  const path = join(folder, 'tokens');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const one = '0123456789abcdef';
const two = 'fedcba9876543210';
const refused = (code: string, words: RegExp) =>
  expect.objectContaining({ code, what: expect.stringMatching(words) as string }) as Error;

describe('the tokens of a file', () => {
  it('name groups, of which one may have several', () => {
    const tokens = tokensIn(fileOf(`# people\n\nada ${one}\r\n  bob\t${two} 10\nada ${one}${two}\n`));
    expect(tokens.groups).toBe(2);
    expect(tokens.senderOf(`Bearer ${one}`)).toMatchObject({ group: 'ada', highestPriority: 0 });
    expect(tokens.senderOf(`bearer ${two}`)).toMatchObject({ group: 'bob', highestPriority: 10 });
    expect(tokens.senderOf(`Bearer ${one}${two}`)).toMatchObject({ group: 'ada' });
  });

  it.each([undefined, '', 'Bearer', 'Bearer ', `Basic ${one}`, `Bearer ${one.slice(1)}`, `Bearer ${one} x`, one])(
    'are wanted: %j is refused',
    (header) =>
      expect(() => tokensIn(fileOf(`ada ${one}\n`)).senderOf(header)).toThrow(refused('TOKEN_REFUSED', /token/)),
  );

  it.each([
    ['', /holds no token/],
    ['ada short\n', /line 1 /],
    [`ada ${one}\nbob\n`, /line 2 .*no name with a token/],
    [`ada ${one}\nbob ${one}\n`, /line 2 .*repeats/],
    [`../ada ${one}\n`, /line 1 /],
    [`ada ${one} 101\n`, /line 1 /],
  ])('%j is refused, and no token is repeated in the message', (text, words) => {
    expect(() => tokensIn(fileOf(text))).toThrow(refused('TOKENS_INVALID', words));
    expect(() => tokensIn(fileOf(text))).not.toThrow(refused('TOKENS_INVALID', new RegExp(one)));
  });

  it.each([0o640, 0o604, 0o660])('are refused if others can read them (%o)', (mode) =>
    expect(() => tokensIn(fileOf(`ada ${one}\n`, mode))).toThrow(refused('TOKENS_INVALID', /others can read/)),
  );

  it('must be there', () =>
    expect(() => tokensIn(join(folder, 'none'))).toThrow(refused('TOKENS_INVALID', /does not exist/)));
});

it('the token of a judge is made once, for its owner alone', () => {
  const { file, tokens } = ownToken(folder);
  const token = readFileSync(file, 'utf8').trim();
  expect([statSync(file).mode & 0o777, token.length]).toEqual([0o600, 43]);
  expect(tokens.senderOf(`Bearer ${token}`)).toMatchObject({ group: '' });
  expect(ownToken(folder).tokens.senderOf(`Bearer ${token}`)).toMatchObject({ group: '' });
  chmodSync(file, 0o644);
  expect(() => ownToken(folder)).toThrow(refused('TOKENS_INVALID', /others can read/));
});

it('without tokens everybody who can connect is one group', () =>
  expect(noTokens.senderOf(undefined)).toEqual({ group: '', highestPriority: 100 }));
