import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { sameFile } from '../app/launch';
import type { Device } from '../device/device';
import { hsaRuntimeVariable, systemHsaRuntime } from '../device/hsa';
import { KernloopError } from '../support/error';
import { rebuildHint } from '../support/ndjson';
import { readJson } from '../support/schema';

/** Description of the device that kernloop-replay opened through an HSA runtime. */
export const ranOnSchema = z.looseObject({
  event: z.literal('device'),
  kind: z.enum(['softgpu', 'hsa']),
  runtime: z.string().describe('The file that was loaded.'),
  agent: z.string(),
  isa: z.string(),
});

export type RanOn = z.output<typeof ranOnSchema>;

const observedSchema = z.looseObject({ process: z.looseObject({ runtime: z.string().default('') }).optional() });

/**
 * Requires that the replay ran on the named kind of device: the software GPU is an HSA runtime too, but its verdicts
 * and times must not pass for hardware's.
 */
export function requireNamedDevice(
  ranOn: RanOn | null,
  { description: { kind }, replayArguments }: Pick<Device, 'description' | 'replayArguments'>,
  capture: string,
): void {
  if (kind !== 'hsa') return;
  if (ranOn === null) {
    throw new KernloopError('NATIVE_FAILED', 'kernloop-replay did not say on which device it ran', rebuildHint);
  }
  if (ranOn.kind !== 'hsa') {
    throw new KernloopError(
      'DEVICE_MISMATCH',
      `the replay ran on the software GPU (${ranOn.runtime}), not on AMD hardware: its result is not used`,
      `take the software GPU out of LD_LIBRARY_PATH, name ROCm's ${systemHsaRuntime} in ${hsaRuntimeVariable}, or replay with --device softgpu`,
    );
  }
  const isNamed = !replayArguments.includes(systemHsaRuntime);
  const ofApp = runtimeOfApp(capture);
  if (isNamed || !existsSync(ofApp) || sameFile(ofApp, ranOn.runtime)) return;
  throw new KernloopError(
    'RUNTIME_OTHER',
    `the app ran on the HSA runtime ${ofApp}, the replay on ${ranOn.runtime}: its result is not used`,
    `set ${hsaRuntimeVariable}=${ofApp}, or to the runtime that you mean`,
  );
}

/** Runtime that the app used, on the capture's machine; never loaded. Empty if the capture does not record it. */
function runtimeOfApp(capture: string): string {
  const path = join(capture, 'observed.json');
  if (!existsSync(path)) return '';
  return readJson(path, observedSchema, 'CAPTURE_INVALID', 'capture again').process?.runtime ?? '';
}
