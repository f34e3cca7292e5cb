import { thrown } from '../testing/failure';
import { engineRequest } from './engine-probes';
import { openProbeSet, parseProbeSet } from './probe-set';

const toml = (softgpu: string, { level = 'thread', cap = '4', size = 16 } = {}): string => `
[probe.all]
level = "${level}"
pos = "kernel"
before = "mov.u64 %NR0, %clock64;"
[map.m]
level = "${level}"
type = "array"
size = ${size}
cap = ${cap}
[map.m.regs]
few = ["u32", "None"]
many = ["u64", "None"]
more = ["u32", "None"]
${softgpu}`;

describe('the probes that come with Kernloop', () => {
  it.each(['block_sched', 'dmat', 'gmem_bytes', 'tensorop', 'program_progress'])(
    '%s is read, runs on the software GPU, and writes to each of its maps',
    (name) => {
      const { file, engine, isShipped } = openProbeSet(name, []);
      expect([file.schema, isShipped]).toEqual(['current', true]);
      expect(new Set(engine.map(({ map }) => map))).toEqual(new Set(file.maps.map((map) => map.name)));
    },
  );

  it('are named where there is no such file', () => {
    expect(thrown(() => openProbeSet('block_shed', ['/nowhere']))).toMatchObject({
      code: 'FILE_NOT_FOUND',
      what: expect.stringContaining('nearest: block_sched') as string,
    });
  });
});

describe('what the software GPU is asked for', () => {
  it('has fields where a record of Neutrino has them: those of 8 bytes first, whatever the order of the file', () => {
    const probes = parseProbeSet(
      toml('[softgpu.a]\nmap = "m"\nat = "memory:global:load"\nsave = { few = "bytes", many = "address", more = 7 }'),
      'p.toml',
    );
    expect(engineRequest(probes.engine, probes.file, new Map([['m', 4]]))).toEqual({
      schema: 'kernloop.probes/1',
      maps: [{ name: 'm', level: 'thread', record_bytes: 16, capacity: 4 }],
      probes: [
        {
          ...{ name: 'a', map: 'm', at: ['memory:global:load'], action: 'save' },
          fields: [
            { offset: 8, bytes: 4, value: 'bytes' },
            { offset: 0, bytes: 8, value: 'address' },
            { offset: 12, bytes: 4, value: 7 },
          ],
        },
      ],
    });
  });

  it.each([
    ['at = "kernel"\nsave = { few = 1 }', {}, 'nothing happens at "kernel"; events are kernel-start, '],
    ['at = "kernel-end"\nsave = { none = 1 }', {}, 'has no field none'],
    ['at = "kernel-end"\nsave = { few = "clock" }', {}, 'clock has 64 bits, and m.few is a u32'],
    ['at = ["memory:global:load", "kernel-end"]\nsave = { many = "address" }', {}, 'kernel-end knows no address'],
    ['at = "kernel-end"\nsave = { few = "lane" }', { level: 'warp' }, 'lane is of a thread'],
    ['at = "memory:scalar:load"\nsave = { few = "bytes" }', {}, 'memory:scalar:load is of a wave'],
    ['at = "kernel-end"\nadd = { few = 1 }', {}, 'say cap = 1'],
    ['at = "kernel-end"', {}, 'either save or add'],
    ['at = "kernel-end"\nsave = { few = "time" }', {}, 'softgpu.a.save'],
    ['at = "kernel-end"\nsaves = { few = 1 }', {}, 'saves'],
  ])('refuses %j', (lines, more, what) => {
    expect(thrown(() => parseProbeSet(toml(`[softgpu.a]\nmap = "m"\n${lines}`, more), 'p.toml'))).toMatchObject({
      code: 'TRACE_INVALID',
      what: expect.stringContaining(what) as string,
    });
  });

  it('refuses records that readers would look for elsewhere, and two ways of writing to one map', () => {
    expect(thrown(() => parseProbeSet(toml('', { size: 24 }), 'p.toml'))).toMatchObject({
      what: expect.stringContaining('size is 24, and its fields are 16 bytes') as string,
    });
    const both =
      '[softgpu.a]\nmap = "m"\nat = "kernel-end"\nsave = { few = 1 }\n[softgpu.b]\nmap = "m"\nat = "kernel-end"\nadd = { few = 1 }';
    expect(thrown(() => parseProbeSet(toml(both, { cap: '1' }), 'p.toml'))).toMatchObject({
      what: expect.stringContaining('one probe saves to it and another adds to it') as string,
    });
  });
});
