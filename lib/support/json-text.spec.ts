import { valueOfJson } from './json-text';

describe('the text of a JSON file', () => {
  const commented = '{ // one\n  "url": "http://x", /* two */ "n": 1 }';

  it('may have comments in kernloop.json, which people write, and nowhere else', () => {
    expect(valueOfJson('/apps/x/kernloop.json', commented)).toEqual({ url: 'http://x', n: 1 });
    for (const path of ['capture.json', 'kernel.json', 'my-kernloop.json'])
      expect(() => valueOfJson(path, commented)).toThrow(/JSON/);
  });

  it.each([
    ['{\n  "a": .\n}', 'line 2'],
    ['{ // one\n  "a": 1,\n  "b": ,\n}', 'line 3'],
  ])('names the line of an error of which the message has no position: %s', (text, line) => {
    expect(() => valueOfJson('kernloop.json', text)).toThrow(line);
  });

  it.each(['{ "a": 1, }', '{ "a": /* open', '', '// nothing'])('is an error where it is none: %s', (text) => {
    expect(() => valueOfJson('kernloop.json', text)).toThrow(/JSON/);
  });
});
