import { captureJsonSchema } from '../archive/capture-files';
import type { ReplayOutcome } from '../replay/program';
import { captureJson } from '../testing/workspace';
import { disagreementOf } from './disagreement';

const capture = captureJsonSchema.parse(captureJson());
const target = { event: 'difference', differing_bytes: 4 } as const;
const inRegion = (first_actual: string, offset = 8) => ({ ...target, region: 'r0', offset, first_actual });
const replay = (...differences: object[]) => ({ differences }) as unknown as ReplayOutcome;

describe('what replays say of each other', () => {
  it('is that the capture lacks something where they agree, and not with the app', () => {
    const same = Array.from({ length: 6 }, () => replay(inRegion('07')));
    const found = disagreementOf(same, capture);
    expect([found.kind, found.reason]).toEqual([
      'agree',
      expect.stringContaining('6 replays agree with each other in r0, and not with the app'),
    ]);
  });

  it('is that order or time decides where they agree with nobody, and leaves the regions out that this is about', () => {
    const others = ['01', '02', '03', '04', '05', '06'].map((actual) => replay(inRegion(actual)));
    expect(disagreementOf(others, capture)).toEqual({
      kind: 'disagree',
      reason:
        "6 replays gave 6 different results, none of them the app's: the order of waves or the time decides what r0 hold (4,096 bytes, not judged); all else is the same in every replay",
      varying: [{ region: 'r0', offset: 0, dtype: 'u8', count: 4096, min: [], max: [], order_dependent: true }],
    });
    const some = [...others.slice(2), replay(), replay()];
    const found = disagreementOf(some, capture);
    expect([found.kind, found.reason]).toEqual([
      'disagree',
      expect.stringContaining("5 different results, 2 of them the app's"),
    ]);
  });

  it('is that the capture lacks something where they agree in one region and not in another', () => {
    const half = ['01', '02', '03'].map((actual) =>
      replay(inRegion(actual), { ...target, variable: 'table', offset: 0, first_actual: '09' }),
    );
    const found = disagreementOf(half, capture);
    expect([found.kind, found.reason]).toEqual(['agree', expect.stringContaining('in table,')]);
  });

  it('is nothing where they gave two results, or wrote where nothing was captured', () => {
    const two = ['01', '02', '01', '02'].map((actual) => replay(inRegion(actual)));
    expect(disagreementOf(two, capture)).toMatchObject({ kind: 'unclear' });
    const beside = ['01', '02', '03'].map((actual) =>
      replay({ ...target, padding: '0x400000001000', offset: 0, first_actual: actual }),
    );
    expect(disagreementOf(beside, capture)).toMatchObject({ kind: 'unclear' });
  });

  it('tells results by where they differ, too', () => {
    const places = [8, 16, 24].map((offset) => replay(inRegion('01', offset)));
    expect(disagreementOf(places, capture)).toMatchObject({ kind: 'disagree' });
  });
});
