import type { DeviceKind } from '../device/kinds';
import { KernloopError } from '../support/error';
import type { ProbeBackend } from './backend';
import { cudaBackend } from './cuda';
import { softgpuBackend } from './softgpu';

const backends: Readonly<Partial<Record<DeviceKind, ProbeBackend>>> = {
  softgpu: softgpuBackend,
  cuda: cudaBackend,
};

export function probeBackend(kind: DeviceKind): ProbeBackend {
  const backend = backends[kind];
  if (backend) return backend;
  throw new KernloopError(
    'PROBE_UNSUPPORTED',
    `kernels on the device "${kind}" cannot be probed`,
    `capture the dispatch on ${Object.keys(backends).join(' or ')}`,
  );
}
