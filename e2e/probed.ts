import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TraceRunResult } from '../lib/trace-run/result';
import type { Workspace } from './harness';

/** Content of one map of a trace: the records of each thread or warp, as words. */
export interface ProbedUnits {
  readonly result: TraceRunResult;
  /** Fields of 8 bytes, contiguous. */
  readonly words: (unit: number) => bigint[];
  readonly bytes: Buffer;
  readonly counts: Uint32Array;
}

/** Runs `kernloop trace run` and reads the result file, which has one map. */
export async function probed(workspace: Workspace, reproducer: string, ...args: string[]): Promise<ProbedUnits> {
  const outcome = await workspace.kernloop(['trace', 'run', reproducer, '--json', ...args]);
  expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
  const { result } = JSON.parse(outcome.stdout) as { result: TraceRunResult };
  const [launch] = result.launches;
  expect(launch).toMatchObject({ verdict: 'pass', verdict_without: 'pass', differing_bytes: 0 });
  const file = readFileSync(join(result.folder, launch?.result ?? ''));
  expect(file.readUInt32LE(28)).toBe(1);
  const unitBytes = file.readUInt32LE(32);
  const bytes = file.subarray(Number(file.readBigUInt64LE(40)));
  const counts = readFileSync(join(result.folder, launch?.maps[0]?.counts ?? ''));
  return {
    result,
    bytes,
    counts: new Uint32Array(counts.buffer, counts.byteOffset, counts.length / 4),
    words: (unit) =>
      Array.from({ length: unitBytes / 8 }, (_, word) => bytes.readBigUInt64LE(unit * unitBytes + word * 8)),
  };
}

/** First words of the kernel's arguments: pointers, in the order of its parameters. */
export function argumentsOf(workspace: Workspace, reproducer: string): bigint[] {
  const capture = workspace.json<{ kernarg: { slots: { value?: string }[] } }>(`${reproducer}/capture/capture.json`);
  return capture.kernarg.slots.map(({ value = '0x0' }) => BigInt(value));
}
