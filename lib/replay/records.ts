import { bytesOf } from '../reproducer/signature';
import type { CaptureJson, Selfcheck } from '../archive/capture-files';
import type { RecordLength } from './program';
import type { KernelJson } from '../reproducer/kernel-json';
import { KernloopError } from '../support/error';
import type { Place } from '../reproducer/signature';
import { arrayOfParameter, targetOf } from '../reproducer/named-arrays';

/** Record lengths that the user gives: --record, then `record_bytes` of the arguments in kernel.json. */
export function givenRecords(
  texts: readonly string[],
  config: KernelJson,
  capture: CaptureJson,
  selfcheck: Pick<Selfcheck, 'varying'>,
): RecordLength[] {
  const named = texts.map((text) => readRecord(text, config, capture, selfcheck));
  const kept = config.args.flatMap(({ name, record_bytes: bytes }) => {
    const place = bytes === undefined || name === null ? undefined : arrayOfParameter(name, config, capture);
    return place && bytes !== undefined ? [{ ...place, bytes }] : [];
  });
  return [...named, ...kept.filter((place) => !named.some((other) => overlap(place, other)))];
}

function readRecord(
  text: string,
  config: KernelJson,
  capture: CaptureJson,
  { varying }: Pick<Selfcheck, 'varying'>,
): RecordLength {
  const [, name = '', length = ''] = /^(.+)=(\d+)$/.exec(text) ?? [];
  const bytes = Number(length);
  if (!Number.isSafeInteger(bytes) || bytes < 1)
    throw new KernloopError('USAGE', `--record ${text} is no NAME=BYTES`, 'say how long one record is: --record out=8');
  const place = targetOf('--record', name, config, capture);
  const free = varying.filter(({ permuted }) => permuted === true);
  const isFree = free.some(({ region, variable, offset, count, dtype }) => {
    const size = count * bytesOf(dtype);
    return overlap(place, { target: region ?? variable ?? '', offset, size });
  });
  if (isFree) return { ...place, bytes };
  const known = [...new Set(free.map(({ region, variable }) => region ?? variable ?? '?'))];
  throw new KernloopError(
    'USAGE',
    `--record ${text}: nothing there came in another order in the replays of the self-check`,
    known.length > 0 ? `what did: ${known.join(', ')}` : 'leave it out: every byte is compared where it is',
  );
}

function overlap(a: Place, b: Place): boolean {
  return a.target === b.target && a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}
