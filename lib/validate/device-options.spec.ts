import type { Device } from '../device/device';
import { failure, thrown } from '../testing/failure';
import { fakeDeps } from '../testing/fake-deps';
import { cudaOf, fakeCudaReplay, fakeLock, fakeReplay } from '../testing/fake-programs';
import { reproducerForEachTest, writeVariant, writeCapture } from '../testing/workspace';
import { asTheDeviceHas } from './device-options';
import { validateOptionsSchema } from './options';
import { validate } from './validate';

/** Properties of a device that decide which options it has. */
const devices: Readonly<Record<string, Pick<Device, 'seeded' | 'hasPtx' | 'hasSanitizer'>>> = {
  softgpu: { seeded: true, hasPtx: false, hasSanitizer: false },
  hsa: { seeded: false, hasPtx: false, hasSanitizer: false },
  cuda: { seeded: false, hasPtx: true, hasSanitizer: true },
};

describe('options that not every device has', () => {
  const made = reproducerForEachTest();
  const deviceOf = (kind: string): Device => {
    const device = cudaOf(made.workspace);
    return { ...device, ...devices[kind], description: { ...device.description, kind: kind as 'cuda' } };
  };
  const resolved = (kind: string, given: object): unknown =>
    asTheDeviceHas(validateOptionsSchema.parse({ reproducer: made.reproducer, ...given }), deviceOf(kind));

  it.each([
    ['softgpu', true, 0],
    ['hsa', false, 0],
    ['cuda', false, 4],
  ])('are as %s has them if nothing is given', (kind, adverse, delays) => {
    expect(resolved(kind, {})).toMatchObject({ adverse, delays });
  });

  it.each([
    ['softgpu', { adverse: true }, { adverse: true, delays: 0 }],
    ['softgpu', { adverse: false }, { adverse: false, delays: 0 }],
    ['cuda', { delays: 9 }, { adverse: false, delays: 9 }],
    ['cuda', { delays: 0, racecheck: true }, { adverse: false, delays: 0, racecheck: true }],
  ])('are as given on %s, which has them: %j', (kind, given, expected) => {
    expect(resolved(kind, given)).toMatchObject(expected);
  });

  it.each(['softgpu', 'hsa', 'cuda'])('may be turned off on %s, whether it has them or not', (kind) => {
    const off = { adverse: false, delays: 0, racecheck: false, initcheck: false, memcheck: false };
    expect(resolved(kind, off)).toMatchObject(off);
  });

  it.each([
    ['softgpu', '--delays', { delays: 1 }, 'adverse order'],
    // The number equals the default.
    ['softgpu', '--delays', { delays: 4 }, 'the environment'],
    ['hsa', '--delays', { delays: 3 }, 'software GPU'],
    ['hsa', '--adverse', { adverse: true }, 'software GPU'],
    ['cuda', '--adverse', { adverse: true }, '--delays'],
    ['cuda', '--adverse', { adverse: true, delays: 2 }, 'the environment'],
    ['softgpu', '--racecheck', { racecheck: true }, 'KERNLOOP_SOFTGPU_CHECK'],
    ['softgpu', '--initcheck', { initcheck: true }, 'KERNLOOP_SOFTGPU_CHECK'],
    ['hsa', '--memcheck', { memcheck: true }, 'software GPU'],
  ])('are refused on %s, which lacks %s: %j', (kind, flag, given, instead) => {
    const error = thrown(() => resolved(kind, given));
    expect([error.code, error.exitCode]).toEqual(['USAGE', 2]);
    expect(error.what).toMatch(new RegExp(`^${flag} .*; this is ${kind}$`));
    expect(error.hint).toContain(instead);
  });

  it('are refused before anything is replayed', async () => {
    writeVariant(made.workspace);
    const fake = fakeDeps({ 'kernloop-replay': fakeReplay() }, made.workspace.native);
    const error = await failure(
      validate(validateOptionsSchema.parse({ reproducer: made.reproducer, delays: 3 }), fake),
    );
    expect(error.what).toMatch(/^--delays .*softgpu$/);
    expect(fake.calls.filter(({ args }) => args.includes('--capture'))).toEqual([]);
  });

  it('are refused on a GPU before anything is replayed', async () => {
    const { workspace, reproducer } = made;
    writeVariant(workspace);
    writeCapture(workspace, { device: { kind: 'cuda', identity: 'cuda-sm_90-1', isa: 'sm_90' }, execution: {} });
    const fake = fakeDeps({ sh: fakeLock, 'kernloop-replay': fakeCudaReplay() }, workspace.native);
    const error = await failure(
      validate(validateOptionsSchema.parse({ reproducer, device: 'cuda', adverse: true }), fake),
    );
    expect(error.what).toMatch(/^--adverse .*cuda$/);
    expect(fake.calls.filter(({ args }) => args.includes('--capture'))).toEqual([]);
  });
});
