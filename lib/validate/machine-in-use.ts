import { captureDigest } from '../archive/capture-files';
import { requestOfCaptured } from '../replay/session';
import type { Deps } from '../deps/deps';
import { sha256 } from '../support/files';
import { passes, runCase, type Case, type Run } from './run-case';

/** A replay whose last launch simulated a machine in use. */
export interface InUse {
  run: Run;
  seed: number;
  /** False if the captured code itself gives another result there, which says nothing about the variant. */
  judged: boolean;
}

/** Seed that is the same for the same capture and variant; undefined if no such launch is made. */
export function seedOfMachineInUse({ session: { capture, code, device } }: Case): number | undefined {
  if (!device.seeded || code.kind === 'captured') return undefined;
  return 1 + (Number.parseInt(sha256(`${captureDigest(capture)} ${code.sha256}`).slice(0, 8), 16) % 0xffff_ffff);
}

/** Catches a variant that detects the judge's poison or fresh clocks: it is right in all other launches. */
export async function runInUse(judged: Case, index: number, seed: number, deps: Deps): Promise<InUse> {
  const run = await runCase(judged, index, deps, { machineInUse: seed });
  if (!failsInUse(run)) return { run, seed, judged: true };
  const { session } = judged;
  const captured = { ...judged, session: { ...session, request: requestOfCaptured(session) } };
  if (passes(await runCase(captured, index, deps, { machineInUse: seed }))) return { run, seed, judged: true };
  return { run: await runCase(judged, index, deps), seed, judged: false };
}

/** Whether only the launch on a machine in use failed. */
export const failsInUse = (run: Run): boolean => run.outcome.result.machine_in_use === true && !passes(run);
