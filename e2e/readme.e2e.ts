import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandsOf, exactly, fencesOf, missingLine } from '../lib/testing/page-commands';
import { asUsersHaveIt, nativeDirectory, repository, run, type Outcome } from './harness';

/**
 * Runs the first command of README.md verbatim in a fresh clone. The parts that a clone lacks and gets in minutes
 * come from this checkout: npm packages, and the native build, whose plan names sources of the checkout, so that the
 * clone's own ninja finds everything built. `node bench/quickstart.mjs` starts from nothing.
 */
describe('the first command of README.md', () => {
  const home = mkdtempSync(join(tmpdir(), 'kernloop-readme-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const fences = fencesOf(readFileSync(join(repository, 'README.md'), 'utf8'));
  const [first] = fences.filter(({ language }) => language === 'sh');
  const shown = fences.find(({ content }) => content.includes('self-check'))?.content.trimEnd() ?? '';

  /** Environment without variables of this test run, except that Nx leaves no process behind. */
  const env = {
    ...Object.fromEntries(
      Object.keys(process.env)
        .filter((name) => /^(KERNLOOP_|E2E_|NX_|npm_|NODE_PATH|HIP_)/i.test(name))
        .map((name) => [name, undefined]),
    ),
    ...asUsersHaveIt,
    NX_DAEMON: 'false',
  };

  /** Runs lines in one continuing shell, as a reader types them. */
  let folder = home;
  async function typed(line: string): Promise<Outcome> {
    const place = join(home, 'place');
    const outcome = await run('bash', ['-c', `${line}\ncode=$?; pwd > '${place}'; exit $code`], { cwd: folder, env });
    folder = readFileSync(place, 'utf8').trimEnd();
    return outcome;
  }

  /** Uses hard links if both are on the same disk. */
  function handOver(from: string, to: string): void {
    try {
      execFileSync('cp', ['--archive', '--link', from, to], { stdio: 'pipe' });
    } catch {
      rmSync(to, { recursive: true, force: true });
      execFileSync('cp', ['--archive', from, to]);
    }
  }

  function ownCopies(from: string, to: string, names: readonly string[]): void {
    for (const name of names.filter((each) => existsSync(join(to, each)))) {
      rmSync(join(to, name));
      copyFileSync(join(from, name), join(to, name));
    }
  }

  async function handOverWhatIsMade(): Promise<void> {
    const [packages, build] = [join(folder, 'node_modules'), join(folder, 'native', 'build')];
    handOver(join(repository, 'node_modules'), packages);
    handOver(nativeDirectory, build);
    // Files that setup, npm and ninja write in place must not be the checkout's.
    ownCopies(join(repository, 'node_modules'), packages, ['.kernloop-lock', '.package-lock.json']);
    rmSync(join(packages, '.cache'), { recursive: true, force: true });
    ownCopies(nativeDirectory, build, ['.ninja_log', '.ninja_deps']);
    const plan = await run('ninja', ['-C', build, '-n', 'products']);
    expect(plan.text).toContain('no work to do');
  }

  it('takes a kernel out of a program and validates it, and ends as README shows', async () => {
    expect((await typed(`git clone '${repository}' kernloop && cd kernloop`)).code).toBe(0);
    await handOverWhatIsMade();
    const lines = commandsOf(first?.content ?? '').map(({ text }) => text);
    let printed = '';
    for (const line of lines) {
      const outcome = await typed(line);
      expect([line, outcome.code, outcome.text]).toEqual([line, 0, expect.any(String)]);
      printed = outcome.stdout;
    }
    expect(shown).not.toBe('');
    expect(missingLine(shown.split('\n'), printed, exactly)).toBeUndefined();
  });
});
