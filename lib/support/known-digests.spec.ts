import { chmodSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { TestWorkspace } from '../testing/workspace';
import { sha256OfFile } from './files';
import { KnownDigests } from './known-digests';

describe('digests of installed files', () => {
  let workspace: TestWorkspace;
  let file: string;
  let cache: string;

  beforeEach(() => {
    workspace = new TestWorkspace();
    file = workspace.write('clang', 'one');
    cache = workspace.path('cache', 'kernloop', 'digests.json');
  });
  afterEach(() => {
    workspace.dispose();
    jest.restoreAllMocks();
  });

  /** Simulates a new command, whose knowledge comes from the file. */
  function inAnotherCommand(): string {
    const digests = new KnownDigests(cache);
    const digest = digests.of(file);
    digests.save();
    return digest;
  }

  /** Simulates that time has passed since the file was installed. */
  function later(): void {
    const { ctimeMs } = statSync(file);
    jest.spyOn(Date, 'now').mockReturnValue(ctimeMs + 60_000);
  }

  /** Plants a digest that no content has: if it is returned, the cache was used. */
  function plant(): string {
    const planted = 'b'.repeat(64);
    writeFileSync(cache, readFileSync(cache, 'utf8').replace(/"[0-9a-f]{64}"/, `"${planted}"`));
    return planted;
  }

  it('are remembered from one command to the next', () => {
    later();
    expect(inAnotherCommand()).toBe(sha256OfFile(file));
    const planted = plant();
    expect(inAnotherCommand()).toBe(planted);
  });

  it('are new for a new content, of the same size and under the same times of modification', () => {
    later();
    inAnotherCommand();
    plant();
    const { atime, mtime } = statSync(file);
    writeFileSync(file, 'two');
    utimesSync(file, atime, mtime);
    expect(inAnotherCommand()).toBe(sha256OfFile(file));
  });

  it('are not remembered of what was written just now: its next content may bear the same time', () => {
    inAnotherCommand();
    expect(() => readFileSync(cache)).toThrow(/ENOENT/);
  });

  it('are in the cache folder of the user', () => {
    later();
    const there = (env: Record<string, string>): void => {
      const digests = KnownDigests.of(env);
      digests.of(file);
      digests.save();
    };
    there({ XDG_CACHE_HOME: 'relative' });
    there({ HOME: workspace.path('home') });
    expect(readFileSync(workspace.path('home/.cache/kernloop/digests.json'), 'utf8')).toContain(sha256OfFile(file));
  });

  it('are read anew where the cache is damaged, names no digest, or cannot be written', () => {
    later();
    for (const text of ['{', '[1]', 'null', `{"${file}":"short"}`]) {
      workspace.write(cache, text);
      expect(inAnotherCommand()).toBe(sha256OfFile(file));
    }
    const digests = new KnownDigests(workspace.path('clang', 'below', 'a.json'));
    expect(digests.of(file)).toBe(sha256OfFile(file));
    expect(() => digests.save()).not.toThrow();
  });

  it('are those of the file behind a link, and of a file whose mode changed', () => {
    later();
    const before = inAnotherCommand();
    chmodSync(file, 0o755);
    expect(inAnotherCommand()).toBe(before);
  });
});
