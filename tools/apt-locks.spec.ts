import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Tests with a lock that a real process takes like apt (fcntl). */
describe('a lock of apt that somebody holds', () => {
  let folder: string;
  let lock: string;
  let holder: ChildProcess | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kernloop-locks-'));
    lock = join(folder, 'lock');
    writeFileSync(lock, '');
  });
  afterEach(() => {
    holder?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  /** Holds the lock until its stdin is closed or it is killed. */
  async function hold(): Promise<ChildProcess> {
    const program = `import fcntl, sys; f = open(${JSON.stringify(lock)}, 'w'); fcntl.lockf(f, fcntl.LOCK_EX); print('held', flush=True); sys.stdin.read()`;
    const process = spawn('python3', ['-c', program], { stdio: ['pipe', 'pipe', 'inherit'] });
    await new Promise((resolve) => process.stdout.once('data', resolve));
    return (holder = process);
  }

  function wait(seconds: number): Promise<{ code: number; text: string }> {
    const url = pathToFileURL(join(__dirname, 'apt-locks.mjs')).href;
    const program = `
      import { waitForLocks } from ${JSON.stringify(url)};
      try { await waitForLocks('lists', [${JSON.stringify(lock)}], { seconds: ${seconds}, pollMs: 20 }); console.log('free'); }
      catch (error) { console.log(error.message, '|', error.hint); process.exitCode = error.exitCode; }`;
    return new Promise((resolve) => {
      execFile(process.execPath, ['--input-type=module', '--eval', program], (error, stdout) =>
        resolve({ code: Number(error?.code ?? 0), text: stdout }),
      );
    });
  }

  it('that nobody holds is not waited for', async () => {
    expect(await wait(0)).toEqual({ code: 0, text: 'free\n' });
  });

  it('is waited for, with a word on who holds it, until it is free', async () => {
    const { pid, stdin } = await hold();
    const waiting = wait(60);
    setTimeout(() => stdin?.end(), 1000);
    const { code, text } = await waiting;
    expect(code).toBe(0);
    expect(text).toBe(`  … lists: waits, since python3 (process ${pid}) holds ${lock}\nfree\n`);
  });

  it('for too long is an error that names the holder', async () => {
    const { pid } = await hold();
    const { code, text } = await wait(0.2);
    expect(code).toBe(5);
    expect(text).toContain(`lists: python3 (process ${pid}) holds ${lock}, for 0 s now | wait for it, or end it`);
  });
});
