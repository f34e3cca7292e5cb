import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Lists {
  readonly endToEnd: readonly string[];
  readonly specs: readonly string[];
  readonly pythonTargets: readonly string[];
}

const root = join(__dirname, '..');

describe('the tests that a push leaves to the night', () => {
  let nightly: Lists;

  beforeAll(() => {
    const program = `import(${JSON.stringify(join(root, 'tools', 'nightly.mjs'))}).then((lists) => console.log(JSON.stringify(lists)))`;
    nightly = JSON.parse(execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' })) as Lists;
  });

  it('are files of e2e/, each named once', () => {
    const files = readdirSync(join(root, 'e2e')).flatMap(
      (file) => /^(.*)\.(?:e2e|integration)\.ts$/.exec(file)?.[1] ?? [],
    );
    expect(files).toEqual(expect.arrayContaining([...nightly.endToEnd]));
    expect(new Set(nightly.endToEnd).size).toBe(nightly.endToEnd.length);
    expect(nightly.endToEnd.length).toBeLessThan(files.length);
  });

  it('are specs that start tools: others are loaded together, each push', () => {
    const config = readFileSync(join(root, 'jest.config.cjs'), 'utf8');
    for (const spec of nightly.specs) {
      expect(existsSync(join(root, `${spec}.spec.ts`))).toBe(true);
      expect(config).toContain(`'${spec}'`);
    }
  });

  it('are on targets that the whole suite has', () => {
    const suites = readFileSync(join(root, 'tools', 'test.mjs'), 'utf8');
    for (const target of nightly.pythonTargets) expect(suites).toContain(`['${target}', 'python/tests`);
  });
});
