import { strictJson } from './strict-json';

const read = (text: string): unknown => strictJson(Buffer.from(text));

describe('JSON that somebody may have written to be read in two ways', () => {
  it('is read where all parsers read the same', () => {
    const text = '{"a": [1, -2.50, 1e3, 100000000000000000000, "é", null], "b": {"a": {}}, "constructor": true}';
    expect(read(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['a key twice', '{"verdict": "fail",\n "verdict": "pass"}', /line 2 has the key "verdict" a second time/],
    ['a key twice, once escaped', '{"verdict": 1, "\\u0076erdict": 2}', /the key "verdict" a second time/],
    ['a key twice, deep in it', '[{"a": {"b": 1, "c": [{"b": 1, "b": 2}]}}]', /the key "b" a second time/],
    ['a prototype', '{"a": {"__proto__": {"verdict": "pass"}}}', /the key "__proto__"/],
    ['a prototype, escaped', '{"\\u005f_proto__": 1}', /the key "__proto__"/],
    ['an infinite number', '{"a": 1e999}', /no double holds: 1e999/],
    ['an integer that a double rounds', '{"a": 9007199254740993}', /no double holds: 9007199254740993/],
    ['a rounded negative one', '[-9007199254740993]', /no double holds/],
    ['an integer of 1,000 digits', `[${'9'.repeat(1000)}]`, /no double holds/],
    ['too deep nesting', '['.repeat(65) + ']'.repeat(65), /64 levels/],
    ['nesting that would exhaust the stack', '['.repeat(200_000) + ']'.repeat(200_000), /64 levels/],
    ['a byte order mark', '\ufeff{}', /JSON/],
    ['two values', '{} {}', /JSON/],
    ['a comment', '{} // no', /JSON/],
    ['a comma at the end', '{"a": 1,}', /JSON/],
    ['nothing', '', /JSON/],
  ])('is refused with %s', (_what, text, words) => {
    expect(() => read(text)).toThrow(words);
  });

  it('is refused where its bytes are no UTF-8, which a reader would replace', () => {
    expect(() => strictJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow(/utf-8/i);
  });

  it('tells keys apart that only look alike', () => {
    expect(Object.keys(read('{"\u00e9": 1, "e\u0301": 2}') as object)).toHaveLength(2);
  });
});
