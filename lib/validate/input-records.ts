import type { CaptureJson } from '../archive/capture-files';
import type { KernelJson } from '../reproducer/kernel-json';
import { placeOf } from '../reproducer/named-arrays';
import { nameParameters, overlap, pointersInto, type Place } from '../reproducer/signature';
import type { Derivation } from '../replay/program';
import { KernloopError } from '../support/error';
import { formatCount } from '../support/report';
import type { DerivedEvent } from '../replay/replay-events';
import type { DerivedInputs } from './report-json';

/** An array whose records change places in derived inputs, as wholes. */
export interface InputRecords extends Place {
  /** As the user names it. */
  name: string;
  /** Length of one record. */
  bytes: number;
}

/** Derivation with its records, which have names in the report. */
export interface NamedDerivation extends Derivation {
  records: readonly InputRecords[];
  /** Whether the report may not show what the seed gave. */
  isSecret: boolean;
}

const option = '--inputs-record';
/** Limit of kernloop-replay: kMostRecordBytes. */
const mostBytes = 32 * 2 ** 20;

/**
 * Reads `x=18` (up to the next pointer, or the end of the region) and `x:OFFSET:SIZE=18`. Only whole records may change
 * places: a length that does not divide, or a pointer into a record, means that these are no such records.
 */
export function inputRecords(texts: readonly string[], config: KernelJson, capture: CaptureJson): InputRecords[] {
  const all: InputRecords[] = [];
  for (const text of texts) {
    const records = readRecords(text, config, capture);
    const other = all.find((each) => overlap(each, records));
    if (other === undefined) all.push(records);
    else if (!isSame(other, records)) {
      throw new KernloopError(
        'USAGE',
        `${option} ${text}: ${records.name} and ${other.name}, with records of ${other.bytes} bytes, share memory`,
        'give each place one length of records',
      );
    }
  }
  return all;
}

const isSame = (one: InputRecords, other: InputRecords): boolean =>
  one.offset === other.offset && one.size === other.size && one.bytes === other.bytes;

function readRecords(text: string, config: KernelJson, capture: CaptureJson): InputRecords {
  const [, name = '', length = ''] = /^(.+)=(\d+)$/.exec(text) ?? [];
  const bytes = Number(length);
  if (bytes < 1 || bytes > mostBytes) {
    throw new KernloopError(
      'USAGE',
      `${option} ${text} is no NAME=BYTES, with 1 to ${formatCount(mostBytes)} bytes`,
      `say how long one record is: ${option} x=18, or ${option} x:OFFSET:SIZE=18 for a part of x`,
    );
  }
  const place = placeOf(option, name, config, capture);
  const part = /^(.+):(\d+):\d+$/.exec(name);
  const records = { name: part?.[1] ?? name, ...place, bytes };
  requireWholeRecords(text, records, Number(part?.[2] ?? 0), config, capture);
  requireNoPointerInside(text, records, config, capture);
  if (records.size < 2 * bytes) {
    throw new KernloopError(
      'USAGE',
      `${option} ${text}: ${formatCount(records.size)} bytes hold fewer than two records, so that none has another place`,
      'name an array of several records, or give a lesser length',
    );
  }
  return records;
}

/** Parameters that point into these bytes, behind their first one or to their end. */
function pointersWithin({ target, offset, size }: Place, { args }: KernelJson, capture: CaptureJson): Pointer[] {
  const region = capture.regions.find(({ id }) => id === target);
  if (!region) return [];
  return pointersInto({ ...region, base: BigInt(region.base) }, capture.kernarg)
    .filter(({ at }) => at > offset && at <= offset + size)
    .map(({ offset: slot, at }) => {
      const parameter = args.find((arg) => arg.offset === slot);
      return { at, name: parameter ? nameParameters([parameter]) : `the argument at byte ${slot}` };
    });
}

interface Pointer {
  at: number;
  name: string;
}

function requireNoPointerInside(text: string, records: InputRecords, config: KernelJson, capture: CaptureJson): void {
  const { name, offset, bytes, size } = records;
  const inside = pointersWithin(records, config, capture).find(
    ({ at }) => at < offset + size && (at - offset) % bytes !== 0,
  );
  if (inside) throw middleOf(text, name, inside, (inside.at - offset) % bytes);
}

const middleOf = (text: string, name: string, pointer: Pointer, byte: number): KernloopError =>
  new KernloopError(
    'USAGE',
    `${option} ${text}: ${pointer.name} points into the middle of a record of ${name}, to byte ${byte} of it`,
    'what it points to would move apart: leave the array out, or give the length of records that begin there, too',
  );

/** `start`: offset of the array in what `name` names. */
function requireWholeRecords(
  text: string,
  records: InputRecords,
  start: number,
  config: KernelJson,
  capture: CaptureJson,
): void {
  const { name, offset, bytes, size } = records;
  const rest = size % bytes;
  if (rest === 0) return;
  const next = pointersWithin(records, config, capture).find(({ at }) => at === offset + size);
  if (next && size < bytes) throw middleOf(text, name, next, size);
  const close = divisorsNear(bytes, size);
  const whole = size - rest;
  const hints = [
    ...(close.length > 0 ? [`lengths near it that divide: ${close.map(formatCount).join(', ')}`] : []),
    ...(whole >= 2 * bytes ? [`if the records end before that: ${option} ${name}:${start}:${whole}=${bytes}`] : []),
  ];
  throw new KernloopError(
    'USAGE',
    `${option} ${text}: ${bytes} does not divide the ${formatCount(size)} bytes of ${name}${next ? `, up to ${next.name}` : ''}: ${formatCount(rest)} ${rest === 1 ? 'byte remains' : 'bytes remain'}`,
    hints.join('; ') || 'give the part that holds the records: NAME:OFFSET:SIZE=BYTES',
  );
}

/** Divisors of `size` next to `bytes`: two below and two above, neither 1 nor all of it. */
function divisorsNear(bytes: number, size: number): number[] {
  const divisors: number[] = [];
  for (let one = 2; one * one <= size; one += 1) if (size % one === 0) divisors.push(one, size / one);
  const sorted = [...new Set(divisors)].sort((a, b) => a - b);
  return [...sorted.filter((each) => each < bytes).slice(-2), ...sorted.filter((each) => each > bytes).slice(0, 2)];
}

type Moved = NonNullable<DerivedInputs['records']>[number];

/** Counts the records of an array that changed places, and says why if no input in which they did was judged. */
export function movedIn(derived: readonly DerivedEvent[], { name, target, offset, size, bytes }: InputRecords): Moved {
  const own = derived.flatMap(({ verdict, reason, arrays }) => {
    const array = arrays.find(
      ({ region, variable, offset: at, record_bytes: length }) =>
        length === bytes && (region ?? variable) === target && at === offset,
    );
    return array ? [{ isJudged: verdict !== 'dropped', reason, moved: array.moved_records ?? 0 }] : [];
  });
  const moved = Math.max(0, ...own.filter(({ isJudged }) => isJudged).map((input) => input.moved));
  const reasons = [...new Set(own.flatMap(({ isJudged, moved: count, reason }) => whyNot(isJudged, count, reason)))];
  return {
    ...{ name, record_bytes: bytes, records: size / bytes, moved_records: moved },
    reason: moved > 0 ? null : reasons.join('; ') || 'no such input was tried: give a greater --inputs',
  };
}

function whyNot(isJudged: boolean, moved: number, reason: string | undefined): string[] {
  if (!isJudged && reason !== undefined) return [reason];
  return moved === 0 ? ['all records that may move are equal'] : [];
}
