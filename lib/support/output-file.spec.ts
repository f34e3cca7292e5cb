import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isForeignFile, outputFolder, placeOutput, requireOwnFile, writeOutput, writeOwnJson } from './output-file';

describe('a file where the user said', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kernloop-output-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const at = (name: string): string => join(folder, name);
  const textOf = (name: string): string => readFileSync(at(name), 'utf8');
  const env = () => ({ XDG_CACHE_HOME: at('cache') });
  const refused = { code: 'TARGET_EXISTS' };
  const thrown = (act: () => void): unknown => {
    try {
      act();
    } catch (error) {
      return error;
    }
    return undefined;
  };
  const place = (path: string, content: string): void => {
    writeFileSync(at('ready'), content);
    placeOutput(at('ready'), path, env());
  };
  const ways: [string, (path: string, content: string) => void][] = [
    ['written', (path, content) => writeOutput(path, content, env())],
    ['put in its place', place],
  ];

  it.each(ways)('is %s where nothing is, and replaced by the next run', (_, write) => {
    write(at('deep/page.html'), 'one');
    write(at('deep/page.html'), 'two');
    write(at('deep/page.html'), 'one');
    expect(textOf('deep/page.html')).toBe('one');
  });

  it.each(ways)('is not %s over a file of the user', (_, write) => {
    writeFileSync(at('page.html'), 'mine');
    expect(thrown(() => write(at('page.html'), 'ours'))).toMatchObject(refused);
    expect(textOf('page.html')).toBe('mine');
  });

  it('is the user’s once it was edited, and ours again under its old content', () => {
    writeOutput(at('read.py'), 'generated\n', env());
    writeFileSync(at('read.py'), 'generated\nedited\n');
    expect(thrown(() => writeOutput(at('read.py'), 'generated anew\n', env()))).toMatchObject(refused);
    expect(textOf('read.py')).toBe('generated\nedited\n');
    writeFileSync(at('read.py'), 'generated\n');
    writeOutput(at('read.py'), 'generated anew\n', env());
    expect(textOf('read.py')).toBe('generated anew\n');
  });

  it('of another place is the user’s here: a copy may be kept on purpose', () => {
    writeOutput(at('page.html'), 'monday', env());
    writeFileSync(at('kept.html'), 'monday');
    expect(thrown(() => writeOutput(at('kept.html'), 'tuesday', env()))).toMatchObject(refused);
  });

  it('is known in its workspace without a cache of the user, also once that was moved', () => {
    mkdirSync(at('workspace'));
    writeFileSync(at('workspace/nx.json'), '{}');
    writeOutput(at('workspace/out/page.html'), 'one', {});
    renameSync(at('workspace'), at('moved'));
    writeOutput(at('moved/out/page.html'), 'two', {});
    expect(textOf('moved/out/page.html')).toBe('two');
  });

  it('is refused, not lost, where nothing can be remembered; the same content is no loss', () => {
    writeOutput(at('page.html'), 'one', {});
    writeOutput(at('page.html'), 'one', {});
    expect(thrown(() => writeOutput(at('page.html'), 'two', {}))).toMatchObject(refused);
    expect(textOf('page.html')).toBe('one');
  });

  it('is never a link, a folder, or below a file', () => {
    symlinkSync(at('elsewhere.html'), at('page.html'));
    mkdirSync(at('folder'));
    writeFileSync(at('file'), '');
    for (const path of ['page.html', 'folder', 'file/page.html'])
      expect([path, thrown(() => writeOutput(at(path), 'ours', env()))]).toMatchObject([path, refused]);
    expect(existsSync(at('elsewhere.html'))).toBe(false);
    expect(thrown(() => outputFolder(at('file')))).toMatchObject(refused);
  });

  it('is known after a kill between its digest and itself', () => {
    writeOutput(at('page.html'), 'one', env());
    writeOutput(at('page.html'), 'two', env());
    // State that the second run leaves if it is killed before its rename.
    writeFileSync(at('page.html'), 'one');
    writeOutput(at('page.html'), 'three', env());
    expect(textOf('page.html')).toBe('three');
  });
});

describe('a file where Kernloop always writes it', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kernloop-own-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const format = { schema: 'kernloop.report' };
  const path = (): string => join(folder, 'report.json');
  const foreign = (content: string): boolean => {
    writeFileSync(path(), content);
    return isForeignFile(path(), format);
  };

  it.each([
    ['another JSON', '{"mine": 1}'],
    ['no JSON', 'mine'],
    ['nothing in it', ''],
    ['another format of Kernloop', '{"schema": "kernloop.report-of-mine/1"}'],
    ['one of ours inside', '{"mine": [{"schema": "kernloop.report/1"}]}'],
  ])('is the user’s with %s', (_, content) => {
    expect(foreign(content)).toBe(true);
    expect(() => writeOwnJson(path(), { schema: 'kernloop.report/1' }, format)).toThrow(`${path()} is there already`);
    expect(readFileSync(path(), 'utf8')).toBe(content);
  });

  it('is the user’s where a link or a folder has its name', () => {
    const elsewhere = join(folder, 'elsewhere.json');
    writeFileSync(elsewhere, '{"schema": "kernloop.report/1"}');
    symlinkSync(elsewhere, path());
    expect(isForeignFile(path(), format)).toBe(true);
    rmSync(path());
    mkdirSync(path());
    expect(isForeignFile(path(), format)).toBe(true);
  });

  it('is ours in every version, and cut short by a crash', () => {
    expect(isForeignFile(path(), format)).toBe(false);
    for (const content of ['{"schema":"kernloop.report/7"}', '{\n  "a": 1,\n  "schema": "kernloop.report/1",\n  "ver'])
      expect([content, foreign(content)]).toEqual([content, false]);
    writeOwnJson(path(), { schema: 'kernloop.report/1' }, format);
    expect(readFileSync(path(), 'utf8')).toBe('{\n  "schema": "kernloop.report/1"\n}\n');
  });

  it('is known by its first bytes, or by words in it', () => {
    writeFileSync(path(), 'MAGIC and more');
    expect(() => requireOwnFile(path(), { magic: 'MAGIC' })).not.toThrow();
    expect(() => requireOwnFile(path(), { mark: 'and' })).not.toThrow();
    expect(() => requireOwnFile(path(), { magic: 'and' })).toThrow();
    expect(() => requireOwnFile(path(), { mark: 'magic' }, format)).toThrow();
  });
});
