import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultDeps } from '../deps/deps';
import { failure } from '../testing/failure';
import { fakeDeps } from '../testing/fake-deps';
import { nativePathsIn } from '../native/native-paths';
import { silentReporter } from '../support/report';
import type { Device } from './device';
import { hsaAgent } from './hsa-agent';
import { withDevice } from './lock';

describe('the lock of a device', () => {
  const path = join(tmpdir(), `kernloop-lock-spec-${process.pid}`);
  const device: Device = {
    description: { kind: 'hsa', identity: 'x', isa: 'gfx90a', name: 'a GPU', wavefront_size: 64 },
    work: 'duration_ns',
    seeded: false,
    measuring: { iterations: 1, warmup: 0, cache: null },
    agent: hsaAgent('/nowhere'),
    lock: path,
    env: {},
    appLibraries: () => ({}),
    runtime: null,
    hasNvrtc: false,
    hasSanitizer: false,
    hasPtx: false,
    replayArguments: [],
  };
  const deps = defaultDeps({ signal: new AbortController().signal });

  afterEach(() => rmSync(path, { force: true }));

  it('lets one stage after the other at the device, however they end', async () => {
    const order: string[] = [];
    const stage = (name: string, fails: boolean) =>
      withDevice(device, deps, async () => {
        order.push(`${name} begins`);
        await new Promise((resolve) => setTimeout(resolve, 100));
        order.push(`${name} ends`);
        if (fails) throw new Error(name);
      }).catch(() => undefined);
    await Promise.all([stage('a', true), stage('b', false)]);
    const [first = '', , third = ''] = order;
    expect(order).toEqual([first, first.replace('begins', 'ends'), third, third.replace('begins', 'ends')]);
  });

  it('tells whoever waits what for, for how long, and when that is over', async () => {
    const said: string[] = [];
    const info = (line: string): void => void said.push(line);
    const patient = defaultDeps({ signal: new AbortController().signal, report: { ...silentReporter, info } });
    let free = (): void => undefined;
    let first: Promise<void> = Promise.resolve();
    // On a busy machine the second would otherwise come first, and wait for nobody.
    await new Promise<void>((isIn) => {
      first = withDevice(device, deps, () => {
        isIn();
        return new Promise<void>((resolve) => (free = resolve));
      });
    });
    const second = withDevice(device, patient, () => Promise.resolve(said.length));
    while (said.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(said).toEqual(['waiting for a GPU, which another stage uses']);
    free();
    await first;
    expect(await second).toBe(2);
    expect(said[1]).toMatch(/^waited \d+ s for a GPU$/);
  });

  it('is not needed for the software GPU', async () => {
    const fake = fakeDeps({}, nativePathsIn('/nowhere'));
    expect(await withDevice({ ...device, lock: null }, fake, () => Promise.resolve(7))).toBe(7);
    expect(fake.calls).toEqual([]);
  });

  it('is an error where it cannot be taken', async () => {
    const fake = fakeDeps({ sh: () => 66 }, nativePathsIn('/nowhere'));
    const error = await failure(withDevice(device, fake, () => Promise.resolve(7)));
    expect(error).toMatchObject({ code: 'DEVICE_UNAVAILABLE', exitCode: 5 });
  });
});
