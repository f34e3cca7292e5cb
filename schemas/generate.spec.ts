import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { committedFiles, packagedFiles } from './generate';

const root = join(__dirname, '..');
const committed = committedFiles();
const packaged = packagedFiles();

describe('generated files in git', () => {
  it.each([...committed])('%s is what the schemas say (run `npm run schemas`)', (path, content) => {
    expect(readFileSync(join(root, path), 'utf8')).toBe(content);
  });
});

describe('generated files that git ignores', () => {
  it.each([...packaged])('%s is there, as the stages decide it', (path, content) => {
    expect(readFileSync(join(root, path), 'utf8')).toBe(content);
  });

  it('are none of those in git', () => {
    const inGit = execFileSync('git', ['ls-files', '--', ...packaged.keys()], { cwd: root, encoding: 'utf8' });
    expect(inGit).toBe('');
    const ignored = execFileSync('git', ['check-ignore', '--', ...packaged.keys()], { cwd: root });
    expect(String(ignored).trim().split('\n')).toEqual([...packaged.keys()]);
    expect([...committed.keys()].filter((path) => packaged.has(path))).toEqual([]);
  });

  it('are all the published schemas there are', () => {
    const published = readdirSync(join(__dirname, 'output')).map((name) => `schemas/output/${name}`);
    expect(published.filter((path) => !packaged.has(path))).toEqual([]);
  });

  it('leave defaults out of executor schemas, because Nx would pass them as if they had been given', () => {
    for (const [path, content] of packaged) {
      if (path.startsWith('executors/')) expect(content).not.toContain('"default"');
    }
  });
});
