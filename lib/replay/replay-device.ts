import type { CaptureJson } from '../archive/capture-files';
import type { Deps } from '../deps/deps';
import type { Device } from '../device/device';
import { openDevice, type DeviceOptions } from '../device/open-device';
import { softgpuTargetOf, softgpuTargets } from '../device/softgpu';
import { KernloopError } from '../support/error';

/** The software GPU also replays captures from AMD hardware, because it presents their target. */
function requireKind(captured: CaptureJson['device'], kind: string): void {
  if (captured.kind === kind || (captured.kind === 'hsa' && kind === 'softgpu')) return;
  throw new KernloopError(
    'USAGE',
    `the capture was made on the device "${captured.kind}", not on "${kind}"`,
    `replay it with --device ${captured.kind}`,
  );
}

/** Refuses a target that was asked for and has other registers and code than the captured one. */
function requireTarget(isa: string, asked: string | undefined): void {
  if (asked === undefined || !(asked in softgpuTargets)) return;
  const captured = softgpuTargetOf(isa);
  if (asked === captured) return;
  throw new KernloopError(
    'DEVICE_MISMATCH',
    `the capture is of ${captured}, and --softgpu asks for ${asked}`,
    `leave --softgpu out; for ${asked}, build the app with --offload-arch=${asked} and capture again`,
  );
}

/**
 * Opens the device for replays of captures: the software GPU presents the target of the first, unless the user names
 * another.
 */
export async function openReplayDevice(
  options: Omit<DeviceOptions, 'softgpu'> & { softgpu?: string | undefined },
  captures: readonly [Pick<CaptureJson, 'device'>, ...Pick<CaptureJson, 'device'>[]],
  deps: Deps,
): Promise<Device> {
  // A driver that is missing here would not help.
  for (const { device } of captures) requireKind(device, options.device);
  const [{ device: captured }] = captures;
  const isForSoftgpu = options.device === 'softgpu' && captured.kind !== 'cuda';
  if (isForSoftgpu) requireTarget(captured.isa, options.softgpu);
  const softgpu = options.softgpu ?? (isForSoftgpu ? softgpuTargetOf(captured.isa) : 'gfx90a');
  const device = await openDevice({ device: options.device, gpu: options.gpu, softgpu }, deps);
  if (captured.kind === 'hsa' && device.description.kind === 'softgpu') {
    deps.report.warn(
      `the capture is of hardware (${captured.identity}), and the software GPU computes it anew: low bits of what AMD does not document, such as the order of sums in matrix instructions, may differ`,
    );
  }
  return device;
}
