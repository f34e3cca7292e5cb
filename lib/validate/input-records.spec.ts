import { captureJsonSchema } from '../archive/capture-files';
import { kernelJsonSchema } from '../reproducer/kernel-json';
import type { DerivedEvent } from '../replay/replay-events';
import { KernloopError } from '../support/error';
import { captureJson, kernelJson } from '../testing/workspace';
import { inputRecords, movedIn, type InputRecords } from './input-records';

const someDigest = 'a'.repeat(64);
const content = { chunks: [someDigest] };
const bases: Readonly<Record<string, number>> = { r0: 0x400000000000, r1: 0x400000100000 };

/** Parameters by their offset in r0 (3,600 bytes) or r1 (720 bytes). */
function kernel(pointers: Readonly<Record<string, [string, number]>>): {
  config: Parameters<typeof inputRecords>[1];
  capture: Parameters<typeof inputRecords>[2];
} {
  const all = Object.entries(pointers);
  const args = all.map(([name], index) => ({
    ...{ index, name, type: 'void*', declared: 'void*', role: 'inout', element: null, offset: index * 8, size: 8 },
    kind: 'global_buffer',
  }));
  const slots = all.map(([, [region, at]], index) => ({
    ...{ offset: index * 8, size: 8, kind: 'global_buffer', region },
    value: `0x${((bases[region] ?? 0) + at).toString(16)}`,
  }));
  const region = (id: string, size: number): object => ({
    ...{ id, size, base: `0x${(bases[id] ?? 0).toString(16)}`, pre: content, post: content },
  });
  return {
    config: kernelJsonSchema.parse(kernelJson({ args })),
    capture: captureJsonSchema.parse(
      captureJson({
        regions: [region('r0', 3600), region('r1', 720)],
        module_variables: [
          { name: 'table', code_object: someDigest, address: '0x1', size: 90, pre: content, post: content },
        ],
        kernarg: { slots },
      }),
    ),
  };
}

/** Two arrays in r0, x of 200 records of 9 bytes or 100 of 18, and one in r1. */
const usual = kernel({ x: ['r0', 0], out: ['r0', 1800], y: ['r1', 0] });
const read = (text: string | string[], { config, capture } = usual): InputRecords[] =>
  inputRecords([text].flat(), config, capture);
const refused = (text: string | string[], given = usual): { what: string; hint: string } => {
  try {
    read(text, given);
  } catch (error) {
    if (error instanceof KernloopError && error.code === 'USAGE') return error;
    throw error;
  }
  throw new Error(`${String(text)} was not refused`);
};

describe('--inputs-record', () => {
  it('names a parameter up to the next pointer, a region, a module variable, or a part', () => {
    expect(read(['x=18', 'y=144', 'table=45'])).toEqual([
      { name: 'x', target: 'r0', offset: 0, size: 1800, bytes: 18 },
      { name: 'y', target: 'r1', offset: 0, size: 720, bytes: 144 },
      { name: 'table', target: 'table', offset: 0, size: 90, bytes: 45 },
    ]);
    expect(read('out:36:1080=36')).toEqual([{ name: 'out', target: 'r0', offset: 1836, size: 1080, bytes: 36 }]);
    expect(read('r1:4:36=18')).toEqual([{ name: 'r1', target: 'r1', offset: 4, size: 36, bytes: 18 }]);
  });

  it('spans arrays that begin with a record', () => {
    expect(read('r0=18')).toEqual([{ name: 'r0', target: 'r0', offset: 0, size: 3600, bytes: 18 }]);
  });

  it.each(['x:18', 'x', 'x=', 'x=0', 'x=-18', 'x=18.5', '=18', 'x=33554433'])('refuses %s', (text) => {
    expect(refused(text).what).toContain(`--inputs-record ${text} is no NAME=BYTES`);
    expect(refused(text).hint).toContain('--inputs-record x=18');
  });

  it('names the nearest parameter for an unknown one', () => {
    expect(refused('yy=18').what).toContain('--inputs-record yy: the capture has no such region, pointer parameter');
    expect(refused('yy=18').hint).toMatch(/did you mean y\?/);
  });

  it('says what remains, divisors near it, and how to name the records that end before', () => {
    const { what, hint } = refused('y=110');
    expect(what).toBe('--inputs-record y=110: 110 does not divide the 720 bytes of y: 60 bytes remain');
    expect(hint).toBe(
      'lengths near it that divide: 80, 90, 120, 144; if the records end before that: --inputs-record y:0:660=110',
    );
    expect(refused('x=37').what).toContain('the 1,800 bytes of x, up to void* out: 24 bytes remain');
    expect(refused('y:6:37=18').hint).toContain('--inputs-record y:6:36=18');
    expect(refused('y:6:37=18').what).toContain('1 byte remains');
  });

  it('names the part of a part', () => {
    expect(refused('y:0:721=7').what).toContain('ends beyond its 720 bytes');
  });

  it('refuses what is one record, or none', () => {
    expect(refused('y=720').what).toContain('720 bytes hold fewer than two records');
    expect(refused('y:0:0=18').what).toContain('0 bytes hold fewer than two records');
    expect(read('y=360')).toHaveLength(1);
  });

  it('refuses a pointer into the middle of a record, by name', () => {
    const scales = kernel({ x: ['r0', 0], scales: ['r0', 2] });
    expect(refused('x=18', scales).what).toBe(
      '--inputs-record x=18: void* scales points into the middle of a record of x, to byte 2 of it',
    );
    const later = kernel({ x: ['r0', 0], third: ['r0', 56] });
    expect(refused('r0=18', later).what).toContain('void* third points into the middle of a record of r0, to byte 2');
    expect(refused('r0:0:72=18', later).what).toContain('void* third points');
    expect(read('r0:0:54=18', later)).toHaveLength(1);
    const open = kernel({ x: ['r0', 0], third: ['r0', 56] });
    open.config.args.splice(1);
    expect(refused('r0=18', open).what).toContain('the argument at byte 8 points into the middle');
  });

  it('takes two names of the same memory as one array, and refuses two lengths of its records', () => {
    const alias = kernel({ x: ['r0', 0], same: ['r0', 0], y: ['r1', 0] });
    expect(read(['x=18', 'same=18'], alias)).toHaveLength(1);
    expect(read(['x=18', 'x=18'], alias)).toHaveLength(1);
    expect(refused(['x=18', 'same=36'], alias).what).toBe(
      '--inputs-record same=36: same and x, with records of 18 bytes, share memory',
    );
    expect(refused(['x=18', 'r0:18:36=18'], alias).what).toContain('share memory');
  });
});

describe('records that moved', () => {
  const records: InputRecords = { name: 'x', target: 'r0', offset: 0, size: 180, bytes: 18 };
  const input = (verdict: string, moved: number, more: object = {}): DerivedEvent => ({
    ...{ event: 'derived', input: 1, verdict: verdict as DerivedEvent['verdict'] },
    arrays: [
      {
        ...{ region: 'r0', offset: 0, elements: 180, dtype: 'u8', declared: true },
        ...{ record_bytes: 18, records: 10, moved_records: moved },
      },
    ],
    ...more,
  });

  it('are those of the judged input that has most of them', () => {
    expect(
      movedIn([input('same', 4), input('same', 9), input('dropped', 10, { reason: 'it faults' })], records),
    ).toEqual({
      ...{ name: 'x', record_bytes: 18, records: 10, moved_records: 9, reason: null },
    });
  });

  it('are none where all were dropped, or had no turn', () => {
    expect(movedIn([input('dropped', 10, { reason: 'it faults' })], records)).toMatchObject({
      ...{ moved_records: 0, reason: 'it faults' },
    });
    expect(movedIn([], records).reason).toContain('give a greater --inputs');
    // Those of another array do not count.
    expect(movedIn([input('same', 9)], { ...records, offset: 18 }).moved_records).toBe(0);
    // One of two arrays may hold equal records alone.
    expect(movedIn([input('same', 0)], records).reason).toBe('all records that may move are equal');
  });
});
