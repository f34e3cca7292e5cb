import fs from 'node:fs';
import { join } from 'node:path';
import { TestWorkspace } from '../testing/workspace';
import { sha256 } from './files';
import { ReadOnce } from './read-once';

describe('one look at files', () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    workspace.dispose();
  });

  it.each(['kernel.json', 'kernloop.json'])(
    'reads %s once, whether its digest or its text is asked for first',
    (name) => {
      const path = join(workspace.root, name);
      fs.writeFileSync(path, '{"é":1}');
      const opens = jest.spyOn(fs, 'openSync');
      const [digestFirst, textFirst] = [new ReadOnce(), new ReadOnce()];
      expect([digestFirst.digestOf(path), digestFirst.textOf(path)]).toEqual([sha256('{"é":1}'), '{"é":1}']);
      expect([textFirst.textOf(path), textFirst.digestOf(path)]).toEqual(['{"é":1}', sha256('{"é":1}')]);
      expect(opens).toHaveBeenCalledTimes(2);
    },
  );

  it('gives text and digest of the same bytes, and another look those of now', () => {
    const path = workspace.path('kernel.json');
    fs.writeFileSync(path, 'old');
    const look = new ReadOnce();
    expect(look.textOf(path)).toBe('old');
    fs.writeFileSync(path, 'new');
    expect([look.textOf(path), look.digestOf(path)]).toEqual(['old', sha256('old')]);
    expect(new ReadOnce().digestOf(path)).toBe(sha256('new'));
  });

  it('parses a file once, also for a look after it, and again only if its bytes are others', () => {
    const path = workspace.path('new/recipe.json');
    const parse = jest.spyOn(JSON, 'parse');
    const look = new ReadOnce();
    expect([look.jsonIn(path), look.digestOfWhole(path)]).toEqual([undefined, undefined]);
    workspace.write('new/recipe.json', '{"a":1}');
    expect(look.jsonIn(path)).toBeUndefined();
    look.forget(path);
    expect([look.jsonIn(path), look.jsonIn(path), look.digestOf(path)]).toEqual([
      { a: 1 },
      { a: 1 },
      sha256('{"a":1}'),
    ]);
    expect(new ReadOnce(look).jsonIn(path)).toEqual({ a: 1 });
    expect(parse).toHaveBeenCalledTimes(1);
    workspace.write('new/recipe.json', '{"a":2}');
    expect([look.jsonIn(path), new ReadOnce(look).jsonIn(path)]).toEqual([{ a: 1 }, { a: 2 }]);
    expect(parse).toHaveBeenCalledTimes(2);
  });

  it('has the digest of bytes that are no UTF-8, no text of a missing file, and an error for its digest', () => {
    const bytes = Buffer.from([0x7b, 0xff, 0xfe]);
    fs.writeFileSync(workspace.path('kernel.json'), bytes);
    const look = new ReadOnce();
    expect(look.digestOf(workspace.path('kernel.json'))).toBe(sha256(bytes));
    expect(look.textOf(workspace.path('none.json'))).toBeUndefined();
    expect(() => look.digestOf(workspace.path('none.json'))).toThrow('ENOENT');
  });

  it('lists a folder once, asks for nothing below a folder that is not there, and follows links as existsSync does', () => {
    for (const name of ['there', 'gone']) fs.symlinkSync(workspace.path(name), workspace.path(`to-${name}`));
    fs.writeFileSync(workspace.path('there'), '');
    const spies = [jest.spyOn(fs, 'readdirSync'), jest.spyOn(fs, 'existsSync')];
    const look = new ReadOnce();
    const isThere = (name: string): boolean => look.isThere(workspace.path(name));
    expect(['there', 'none', 'none/below', 'none/below/it', 'there/below'].map(isThere)).toEqual([
      ...[true, false, false, false, false],
    ]);
    expect(spies.map(({ mock }) => mock.calls.filter(([path]) => path !== workspace.path('there')).length)).toEqual([
      1, 0,
    ]);
    expect(['to-there', 'to-gone'].map(isThere)).toEqual([true, false]);
    expect(['there', 'to-there', 'to-gone'].map((name) => look.isFile(workspace.path(name)))).toEqual([
      true,
      true,
      false,
    ]);
    expect(['there', 'to-gone', 'none'].map((name) => look.isLink(workspace.path(name)))).toEqual([false, true, false]);
    expect(look.namesIn(workspace.path('none'))).toEqual([]);
  });
});
