import { existsSync, readFileSync } from 'node:fs';
import { profileSchema } from '../profile/profile-json';
import { KernloopError } from '../support/error';
import { invalidEvents } from './invalid';
import { parsed } from './json-stream';
import type { Launches } from './launches';

/** Launches in a profile.json, in the order of their starts. */
export function launchesOf(path: string): Launches {
  if (!existsSync(path))
    throw new KernloopError('FILE_NOT_FOUND', `${path} does not exist`, 'name the profile.json of an app');
  const result = profileSchema.safeParse(parsed(readFileSync(path, 'utf8'), path));
  if (!result.success)
    throw invalidEvents(path, 'it is no profile of an app', 'name the profile.json that `kernloop profile` wrote');
  const { kernels, launches, device, work } = result.data;
  if (!launches) {
    const why =
      work === 'duration_ns' ? `${device.kind} does not say when its kernels ran` : 'the software GPU has no time';
    throw new KernloopError(
      'USAGE',
      `${path} has no launches with their times: ${why}`,
      'profile on a GPU, or leave --profile out',
    );
  }
  const rows = launches.rows.map(({ kernel, start_ns, end_ns, device: number, stream }) => ({
    name: kernels[kernel]?.name ?? `kernel ${kernel}`,
    startNs: BigInt(start_ns),
    endNs: BigInt(end_ns),
    device: number,
    stream,
  }));
  const late = rows.find(({ startNs, endNs }) => endNs < startNs);
  if (late) throw invalidEvents(path, `a launch of ${late.name} ends before it starts`);
  return {
    boot: launches.boot,
    rows: rows.sort((a, b) => (a.startNs < b.startNs ? -1 : Number(a.startNs > b.startNs))),
    leftOut: launches.left_out,
  };
}
