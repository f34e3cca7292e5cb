import { existsSync, mkdirSync, readFileSync, readdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nativeDirectory, run, Workspace, type Outcome } from './harness';
import { drawMoments, momentSeed, type Moment } from './moments';
import { Nginx } from './nginx';
import { addProbeApp } from './probe';

/** Whatever dies in the middle of a push or pull, a later pull gives a complete capture or an error. */
describe('a transfer whose server, client or network dies', () => {
  let workspace: Workspace;
  let nginx: Nginx;
  let env: Record<string, string>;
  /** A machine without any of the content. */
  let far: string;
  const references = new Map<boolean, string>();
  /** Kinds (encrypted or not) that the server has completely. */
  const whole = new Set<boolean>();
  const bytes = { push: 0, pull: 0 };
  const capture = 'kernels/linked/scale_linked/capture';
  const seen: Record<string, number> = {};

  const push = async (encrypted: boolean, then = {}): Promise<Outcome> => {
    const how = encrypted ? ['--encrypt', 'recipients.txt'] : ['--accept'];
    const outcome = await workspace.kernloop(['push', capture, ...how], { env, ...then });
    // If encrypted, the index has another name each time.
    const [, reference] = /kernloop pull ([0-9a-f]{64})/.exec(outcome.text) ?? [];
    if (reference !== undefined) references.set(encrypted, reference);
    return outcome;
  };
  const pull = (encrypted: boolean, then = {}): Promise<Outcome> =>
    workspace.kernloop(
      ['pull', references.get(encrypted) ?? '', '--to', join(far, 'captured'), '--store', join(far, 'store')],
      { env, ...then },
    );
  const forget = (path: string): void => rmSync(path, { recursive: true, force: true });
  const cas = (): string => join(nginx.folder, 'data', 'cas');

  /** Expects all content, byte for byte, and nothing else. */
  async function expectComplete(): Promise<void> {
    const files = readdirSync(join(far, 'captured')).sort();
    expect(files).toEqual(['capture.json', 'observed.json', 'selfcheck.json']);
    for (const file of files)
      expect([file, readFileSync(join(far, 'captured', file))]).toEqual([
        file,
        readFileSync(workspace.path(capture, file)),
      ]);
    const store = ['--store', join(far, 'store')];
    const verified = await run(join(nativeDirectory, 'bin', 'kernloop-archive'), [
      'verify',
      join(far, 'captured'),
      ...store,
    ]);
    expect([verified.code, verified.text]).toEqual([0, expect.stringContaining('"event":"verified"')]);
  }

  async function expectCompleteOrNothing({ code, text }: Outcome): Promise<void> {
    if (code !== 0 && code !== 137) expect(text).toMatch(/REMOTE_(MISSING|UNREACHABLE|REFUSED)/);
    if (code === 0) expect(existsSync(join(far, 'captured'))).toBe(true);
    if (existsSync(join(far, 'captured'))) await expectComplete();
  }

  /** Disturbs the transfer as the moment says. */
  async function disturb({ verb, victim, share, lasting, laterMs, encrypted }: Moment): Promise<Outcome> {
    let kill: (signal: NodeJS.Signals) => void = () => undefined;
    let done: Promise<unknown> = Promise.resolve();
    const act = async (): Promise<void> => {
      if (victim === 'network') nginx.network.cut(lasting);
      else if (victim === 'client') {
        await sleep(laterMs);
        kill('SIGKILL');
      } else {
        await nginx.stop('SIGKILL');
        if (!lasting) await nginx.start();
      }
    };
    nginx.network.reset(Math.floor(share * bytes[verb]), () => void (done = act()));
    const outcome = await (verb === 'push' ? push : pull)(encrypted, {
      started: (killer: typeof kill) => (kill = killer),
    });
    await done;
    nginx.network.reset();
    // Dead even if it had ended by itself before.
    await nginx.stop('SIGKILL');
    await nginx.start();
    return outcome;
  }

  beforeAll(async () => {
    workspace = Workspace.create([]);
    far = mkdtempSync(join(tmpdir(), 'kernloop-far-'));
    nginx = await Nginx.start();
    env = { KERNLOOP_REMOTE: nginx.url };
    const kernel = { name: 'scale_linked', match: 'scale_linked', scope: 'all' as const };
    const app = await addProbeApp(workspace, 'linked', ['linked', '12'], [kernel]);
    const extracted = await workspace.kernloop(['extract', '--app', app], {
      env: { KERNLOOP_EXTRACT_INLINE_LIMIT_BYTES: '1' },
    });
    expect([extracted.code, extracted.text]).toEqual([0, expect.any(String)]);
    expect((await run('age-keygen', ['--output', workspace.path('key.txt')])).code).toBe(0);
    const recipient = /age1\w+/.exec(workspace.read('key.txt'))?.[0] ?? '';
    workspace.write('recipients.txt', `# of this test\n${recipient}\n`);
    env['KERNLOOP_AGE_IDENTITY'] = workspace.path('key.txt');
    for (const encrypted of [true, false]) {
      nginx.network.reset();
      const pushed = await push(encrypted);
      expect([pushed.code, pushed.text]).toEqual([0, expect.any(String)]);
      bytes.push = nginx.network.bytes;
    }
    nginx.network.reset();
    expect((await pull(false)).code).toBe(0);
    bytes.pull = nginx.network.bytes;
    await expectComplete();
    expect(Math.min(bytes.push, bytes.pull)).toBeGreaterThan(12 << 20);
  });
  afterAll(async () => {
    await nginx.remove();
    workspace.remove();
    forget(far);
  });
  beforeEach(() => forget(far));
  afterEach(() => {
    const result = process.env['KERNLOOP_MOMENTS_RESULT'];
    if (result === undefined) return;
    const moments = Object.values(seen).reduce((sum, each) => sum + each, 0);
    const written = { moments, seed: momentSeed, bytes, outcomes: seen };
    writeFileSync(result, `${JSON.stringify(written, null, 2)}\n`);
  });

  it.each(drawMoments().map((moment) => [JSON.stringify(moment), moment] as const))('%s', async (_, moment) => {
    const { verb, victim, encrypted } = moment;
    if (verb === 'push') {
      forget(cas());
      mkdirSync(cas(), { recursive: true });
      whole.clear();
    } else if (!whole.has(encrypted)) {
      expect((await push(encrypted)).code).toBe(0);
      whole.add(encrypted);
    }
    const disturbed = await disturb(moment);
    const how = disturbed.code === 0 ? 'went through' : disturbed.code === 137 ? 'killed' : 'an error';
    seen[`${verb}, ${victim}: ${how}`] = (seen[`${verb}, ${victim}: ${how}`] ?? 0) + 1;
    // A broken push leaves no capture, or a complete one.
    await expectCompleteOrNothing(verb === 'push' ? await pull(encrypted) : disturbed);

    // The next try succeeds, and no remains obstruct it.
    if (verb === 'push') expect([(await push(encrypted)).code, disturbed.text]).toEqual([0, expect.any(String)]);
    whole.add(encrypted);
    const pulled = await pull(encrypted);
    expect([pulled.code, pulled.text, disturbed.text]).toEqual([0, expect.any(String), expect.any(String)]);
    await expectComplete();
    expect(readdirSync(far).sort()).toEqual(['captured', 'store']);
    expect(readdirSync(join(far, 'store')).filter((name) => name === '.writing')).toEqual([]);
  });
});
