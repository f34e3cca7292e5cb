import { fakeDeps } from '../testing/fake-deps';
import { failure } from '../testing/failure';
import { reproducerForEachTest, captureJson } from '../testing/workspace';
import type { CaptureJson } from '../archive/capture-files';
import type { DeviceKind } from '../device/kinds';
import { openReplayDevice } from './replay-device';
import { replay } from './replay';
import { replayOptionsSchema } from './options';

describe('the device of a replay', () => {
  const made = reproducerForEachTest();
  const isa = 'amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-';
  const captured = (kind: string) => ({ device: { kind, identity: kind, isa } }) as Pick<CaptureJson, 'device'>;
  const deps = () => fakeDeps({}, made.workspace.native);
  const on = (device: DeviceKind) => ({ device }) as Parameters<typeof openReplayDevice>[0];

  it.each([
    ['softgpu', 'softgpu'],
    ['hsa', 'softgpu'],
  ] as const)('of a capture of %s may be %s', async (kind, device) => {
    const { description } = await openReplayDevice(on(device), [captured(kind)], deps());
    expect(description.kind).toBe(device);
  });

  it.each([
    ['softgpu', 'cuda'],
    ['softgpu', 'hsa'],
    ['cuda', 'softgpu'],
  ] as const)('of a capture of %s is never %s, whether a driver is here or not', async (kind, device) => {
    const fake = deps();
    const error = await failure(openReplayDevice(on(device), [captured(kind)], fake));
    expect([error.code, error.hint, fake.calls]).toEqual(['USAGE', `replay it with --device ${kind}`, []]);
  });

  it('is that of every capture that is replayed', async () => {
    const other = { kind: 'cuda', identity: 'cuda-sm_90-1', isa: 'sm_90' };
    made.workspace.write('kernels/app/saxpy/captures/2/capture.json', captureJson({ device: other }));
    made.workspace.write('kernels/app/saxpy/captures/2/chunks.pack', 'KLPACK1\n');
    const fake = deps();
    const options = replayOptionsSchema.parse({ reproducer: made.reproducer, capture: 'all', recompile: false });
    const error = await failure(replay(options, fake));
    expect([error.code, error.what]).toEqual(['USAGE', expect.stringContaining('the device "cuda", not on "softgpu"')]);
  });
});
