import { failure } from '../testing/failure';
import { TestWorkspace } from '../testing/workspace';
import { openEvents } from './open-events';
import { Summary } from './summary';
import { RecordingWriter } from './testing/recording-writer';
import { writeTimeline, type TimelineFacts } from './timeline';

/** Events as Iris writes them (schema 1.2): ticks of 10 ns, without a unit. */
const event = (more: object, args: object = {}): object => ({
  ...{ name: 'put', cat: 'iris', ph: 'X', ts: 1000, dur: 132, pid: 0, tid: 'XCC1_CU2' },
  args: {
    ...{ program_id: 5, pid_m: 1, pid_n: 2, target_rank: 1, address: '0x7f00deadbeef', xcc_id: 1, cu_id: 2 },
    ...{ op_index: 9, payload_size: 8192 },
    ...args,
  },
  ...more,
});
const name = { name: 'process_name', ph: 'M', pid: 0, args: { name: 'Rank 0' } };

describe('a file that Iris exported', () => {
  const workspace = new TestWorkspace();
  afterAll(() => workspace.dispose());

  function written(document: object, clockMhz?: number): { writer: RecordingWriter; facts: TimelineFacts } {
    const file = openEvents(workspace.write('trace.json', JSON.stringify(document)), clockMhz);
    const writer = new RecordingWriter();
    return {
      writer,
      facts: writeTimeline({ files: [file], launches: null, isUnaligned: true }, writer, new Summary()),
    };
  }
  const metadata = {
    schema_version: '1.2',
    world_size: 2,
    gpu_arch: 'gfx942:sramecc+:xnack-',
    gpu_device_name: 'MI300X',
  };

  it('has its ticks made nanoseconds, by its processor, and says so', () => {
    const { writer, facts } = written({
      traceEvents: [event({ ts: 1300 }), event({}), name],
      displayTimeUnit: 'ns',
      metadata,
    });
    expect(writer.slices.filter(({ track }) => track.startsWith('XCC'))).toMatchObject([
      { process: 'Rank 0: MI300X', track: 'XCC 1, CU 2/lane 0', name: 'put', start: 0, end: 1320 },
      {
        start: 3000,
        end: 4320,
        details: {
          annotations: {
            program_id: 5,
            payload_bytes: 8192,
            op_index: 9,
            pid_n: 2,
            address: { pointer: 0x7f00deadbeefn },
          },
        },
      },
    ]);
    expect(facts.flows).toBe(2);
    expect(facts.notes.join('\n')).toContain('100 MHz (gfx942), which a viewer would show 100 times too long');
    expect(facts.notes.join('\n')).toContain('does not say how many events it dropped');
  });

  it('is read merged, whatever comes first in it, and says that nothing was aligned', () => {
    const { facts, writer } = written({
      metadata: { ...metadata, aligned: 'minimum timestamp across all ranks', extra: [1, { a: '}]' }] },
      traceEvents: [event({ pid: 1 }, { target_rank: 0 }), event({})],
    });
    expect(facts.ranks.map(({ rank, kept }) => [rank, kept])).toEqual([
      [0, 1],
      [1, 1],
    ]);
    expect(facts).toMatchObject({ alignment: 'none' });
    expect(facts.notes.join()).toContain('that is no alignment');
    expect(writer.slices).toHaveLength(4);
  });

  it('takes a mark for what may never have ended, and names that it does not know for what they are', () => {
    const { writer, facts } = written({
      traceEvents: [event({ ph: 'i', dur: undefined, name: 'wg_gemm' }), event({ name: 'unknown_77', ts: 1001 })],
      metadata,
    });
    expect(writer.instants.map((each) => each.name)).toEqual(['wg_gemm (never ended)']);
    expect(writer.slices.map((each) => each.name)).toContain('unknown_77');
    expect(facts.notes.join()).toContain('1 events had no length or never ended');
  });

  it('needs a rate where its processor is not known, which may be no whole number of nanoseconds', async () => {
    const document = { traceEvents: [event({ ts: 0, dur: 27 })], metadata: { gpu_arch: 'gfx1250' } };
    const error = await failure(Promise.resolve().then(() => written(document)));
    expect([error.code, error.hint]).toEqual(['USAGE', expect.stringContaining('--clock-mhz')]);
    expect(written(document, 27).writer.slices[0]).toMatchObject({ start: 0, end: 1000 });
  });

  it.each([
    ['a time that is no tick', event({ ts: 1.5 }), 'event 0: ts'],
    ['a rank that is none', event({ pid: -1 }), 'event 0: pid'],
    ['no arguments', { name: 'put', ph: 'X', ts: 1, dur: 1, pid: 0 }, 'event 0: args'],
    ['an id out of range', event({}, { program_id: 2 ** 31 }), 'event 0: args.program_id'],
  ])('says of which event it is that has %s', async (_, broken, said) => {
    expect((await failure(Promise.resolve().then(() => written({ traceEvents: [broken], metadata })))).what).toContain(
      said,
    );
  });
});
