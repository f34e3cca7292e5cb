import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { runArchive } from '../archive/archive-program';
import { captureFiles, isJudgedByRanges, selfcheckFile, type Selfcheck } from '../archive/capture-files';
import { writeSelfcheck } from '../archive/selfcheck-seal';
import { bytesOf, type Shrink, type UnusedRange } from '../archive/dropped';
import type { Deps } from '../deps/deps';
import type { Device } from '../device/device';
import { KernloopError } from '../support/error';
import { writeJson } from '../support/files';
import { partialOf } from '../support/leftovers';
import { formatBytes } from '../support/report';
import { replaceFolder } from './outputs';
import { Replays, type SelfCheckTarget } from './replays';
import { selfCheck } from './self-check';
import { granuleOf, unusedMemory } from './unused';
import { count } from '../support/count';

export const shrunkSchema = z.looseObject({ event: z.literal('shrunk'), dropped_bytes: count, bytes_stored: count });

/** Time limit of a replay on hardware that checks whether memory is used. */
const mostSeconds = 10;

interface ShrinkRequest {
  target: SelfCheckTarget;
  selfcheck: Selfcheck;
  /** Store for chunks that outgrow the pack. */
  store: string;
  inlineLimitBytes: number;
  label: string;
}

export interface ShrinkOutcome {
  selfcheck: Selfcheck;
  /** Size on disk, if something was dropped. */
  bytesStored?: number;
}

/**
 * Drops memory that the dispatch neither reads nor writes. Replays have no memory in those ranges, so any access
 * faults. The smaller capture replaces the whole one only if a full self-check gives the same result for both.
 */
export async function shrink(request: ShrinkRequest, device: Device, deps: Deps): Promise<ShrinkOutcome> {
  const { target, selfcheck, label } = request;
  const granule = granuleOf(device);
  const whole = (reason: string | null): ShrinkOutcome => {
    if (reason !== null) deps.report.info(`${label}: nothing was dropped: ${reason}`);
    return { selfcheck: record(target.capture, selfcheck, { dropped_bytes: 0, granule, reason }) };
  };
  const why = whyNot(selfcheck);
  if (why !== null) return whole(why);
  try {
    return await withoutUnused(request, granule, whole, device, deps);
  } catch (error) {
    // The whole capture is judged and sound, even if the smaller one fails.
    if (!(error instanceof KernloopError) || error.code === 'INTERRUPTED') throw error;
    return whole(error.what);
  }
}

async function withoutUnused(
  request: ShrinkRequest,
  granule: number,
  whole: (reason: string | null) => ShrinkOutcome,
  device: Device,
  deps: Deps,
): Promise<ShrinkOutcome> {
  const { target, selfcheck, label } = request;
  const varying = isJudgedByRanges(selfcheck) ? selfcheckFile(target.capture) : undefined;
  // Limits the time, because a kernel may wait forever on memory that is not there.
  const hasty = { ...target, limitSeconds: Math.min(target.limitSeconds, mostSeconds) };
  const unused = await unusedMemory(new Replays(hasty, device, deps), device, varying);
  if (unused.length === 0)
    return whole(`the kernel uses all of its memory, looked at in pieces of ${formatBytes(granule)}`);
  const smaller = `${partialOf(target.capture)}-shrunk`;
  try {
    rmSync(smaller, { recursive: true, force: true });
    const { dropped_bytes: dropped, bytes_stored: bytesStored } = await write(request, unused, smaller, deps);
    const checked = await selfCheck({ ...target, capture: smaller }, device, deps);
    if (checked.selfcheck.verdict !== selfcheck.verdict) {
      const reason = checked.selfcheck.reason ?? checked.selfcheck.verdict;
      return whole(`without ${formatBytes(bytesOf(unused))} that no replay touched, the self-check says: ${reason}`);
    }
    const kept = record(smaller, checked.selfcheck, { dropped_bytes: dropped, granule, reason: null });
    replaceFolder(smaller, target.capture);
    deps.report.info(
      `${label}: dropped ${formatBytes(dropped)} that the kernel neither reads nor writes, in pieces of ${formatBytes(granule)}; without it the self-check says ${kept.verdict}, too`,
    );
    return { selfcheck: kept, bytesStored };
  } finally {
    rmSync(smaller, { recursive: true, force: true });
  }
}

/** If the order of waves decides what is touched, another order may touch dropped memory. */
function whyNot({ verdict, varying, reason }: Selfcheck): string | null {
  if (verdict === 'failed') return `the self-check failed${reason === null ? '' : ` (${reason})`}`;
  if (verdict === 'order-dependent' || varying.some(({ permuted }) => permuted === true))
    return 'the order of waves decides where the kernel writes';
  return null;
}

async function write(
  { target, store, inlineLimitBytes }: ShrinkRequest,
  unused: readonly UnusedRange[],
  output: string,
  deps: Deps,
): Promise<z.output<typeof shrunkSchema>> {
  const folder = mkdtempSync(join(tmpdir(), 'kernloop-dropped-'));
  try {
    const file = join(folder, 'dropped.json');
    writeJson(file, { dropped: unused });
    const stores = target.stores.flatMap((path) => ['--store', path]);
    const event = await runArchive(
      ['shrink', target.capture, '--dropped', file, '--output', output]
        .concat(['--into', store, '--inline-limit', String(inlineLimitBytes)])
        .concat(stores),
      'shrunk',
      shrunkSchema,
      deps,
    );
    for (const name of captureFiles)
      if (!existsSync(join(output, name)) && name !== 'selfcheck.json' && name !== 'chunks.pack') copy(name);
    return event;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }

  function copy(name: string): void {
    const from = join(target.capture, name);
    if (existsSync(from)) copyFileSync(from, join(output, name));
  }
}

function record(capture: string, selfcheck: Selfcheck, shrunk: Shrink): Selfcheck {
  const known: Selfcheck = { ...selfcheck, shrink: shrunk };
  writeSelfcheck(capture, known);
  return known;
}
