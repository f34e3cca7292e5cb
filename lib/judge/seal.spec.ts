import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thrown } from '../testing/failure';
import type { Judgement } from './judgement-json';
import { canonicalJson, isPublicKey, isSealedBy, keyFile, publicKeyFile, publicKeyIn, signingKey } from './seal';

describe('canonical JSON', () => {
  it('is that of the example of RFC 8785, byte for byte', () => {
    const text = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    const bytes = `7b 22 6c 69 74 65 72 61 6c 73 22 3a 5b 6e 75 6c 6c 2c 74 72 75 65 2c 66 61 6c 73 65 5d 2c 22 6e 75 6d 62 65
      72 73 22 3a 5b 33 33 33 33 33 33 33 33 33 2e 33 33 33 33 33 33 33 2c 31 65 2b 33 30 2c 34 2e 35 2c 30 2e 30 30 32 2c
      31 65 2d 32 37 5d 2c 22 73 74 72 69 6e 67 22 3a 22 e2 82 ac 24 5c 75 30 30 30 66 5c 6e 41 27 42 5c 22 5c 5c 5c 5c 5c
      22 2f 22 7d`;
    expect(Buffer.from(canonicalJson(JSON.parse(text)))).toEqual(Buffer.from(bytes.replaceAll(/\s/g, ''), 'hex'));
  });

  it('has keys in the order of their UTF-16 units, as the example of RFC 8785', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
    const text = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])));
    expect(text).toBe(`{${sorted.map((key) => `${JSON.stringify(key)}:0`).join(',')}}`);
  });

  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('writes the double %s of RFC 8785 as %s', (bits, text) => {
    expect(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text);
  });

  it.each([NaN, Infinity, -Infinity])('has no %s, which must not pass for null', (value) => {
    expect(() => canonicalJson({ atol: [value] })).toThrow(/JSON has no number/);
  });

  it('tells apart what a reader tells apart', () => {
    const texts = ['{"a":1}', '{"a":"1"}', '{"a":null}', '{}', '{"a":[1]}', '{"__proto__":1}', '{"\u00e9":1}'];
    const all = [...texts, '{"e\u0301":1}'].map((text) => canonicalJson(JSON.parse(text)));
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('the key of a judge', () => {
  let home: string;
  beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'kernloop-seal-'))));
  afterEach(() => rmSync(home, { recursive: true }));

  it('is made once, and key.pub beside it is what others know it by', () => {
    expect(publicKeyIn(home)).toBeUndefined();
    const { publicKey } = signingKey(home);
    expect([signingKey(home).publicKey, publicKeyIn(home)]).toEqual([publicKey, publicKey]);
    expect(isPublicKey(publicKey)).toBe(true);
  });

  it('is not used where others can read it', () => {
    signingKey(home);
    chmodSync(keyFile(home), 0o640);
    expect(thrown(() => signingKey(home)).code).toBe('KEY_EXPOSED');
  });

  it('is known by one spelling alone', () => {
    const { publicKey } = signingKey(home);
    // The last character has two bits to spare.
    const last = publicKey.slice(-1).charCodeAt(0);
    const others = [
      `${publicKey}=`,
      `${publicKey} `,
      publicKey.slice(1),
      publicKey.slice(0, -1) + String.fromCharCode(last + 1),
    ];
    expect([...others, '', publicKeyFile(home)].filter(isPublicKey)).toEqual([]);
  });

  it('signs what is written: a number that JSON does not have is null there', () => {
    const key = signingKey(home);
    const { publicKey } = key;
    const sealed = key.seal({ ratio: NaN, place: undefined } as unknown as Judgement);
    const written = JSON.parse(JSON.stringify(sealed)) as typeof sealed;
    expect(written.judgement).toEqual({ ratio: null });
    expect(isSealedBy(written, publicKey)).toBe(true);
    expect(isSealedBy({ ...written, judgement: { ratio: Infinity } }, publicKey)).toBe(false);
    expect(isSealedBy({ ...written, signature: `${written.signature}==` }, publicKey)).toBe(false);
  });
});
