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

  it('has the digest of bytes that are no UTF-8, no text of a missing file, and an error for its digest', () => {
    const bytes = Buffer.from([0x7b, 0xff, 0xfe]);
    fs.writeFileSync(workspace.path('kernel.json'), bytes);
    const look = new ReadOnce();
    expect(look.digestOf(workspace.path('kernel.json'))).toBe(sha256(bytes));
    expect(look.textOf(workspace.path('none.json'))).toBeUndefined();
    expect(() => look.digestOf(workspace.path('none.json'))).toThrow('ENOENT');
  });
});
