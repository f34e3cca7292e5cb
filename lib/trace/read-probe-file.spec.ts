import { thrown } from '../testing/failure';
import { fieldOffsets, isMisreadByNeutrino, mapsArgument } from './probe-file';
import { parseProbeFile } from './read-probe-file';

const current = `
regs = 3
CALLBACK = "block_sched_callback.py"
[probe.thread_start_thread_end]
level = "warp"
pos = "kernel"
before = "mov.u64 %NR0, %clock64;"
after = "SAVE [ block_sched ] { %NR0, %NR1, %NR2 };"
[map.block_sched]
level = "warp"
type = "array"
size = 16
cap = 1
[map.block_sched.regs]
start = [ "u64", "None",]
elapsed = [ "u32", "None",]
cuid = [ "u32", "None",]
[map.DMAT]
level = "thread"
type = "array"
size = 16
cap = "dynamic"
[map.DMAT.regs]
clock = [ "u64", "None",]
addr = [ "u64", "None",]
`;

const artifact = `
author = "somebody"
analyze_hook = "dmat.py"
dynamic = true
[init]
position = "kernel"
before = ".reg .u64 %start;"
[load]
position = "ld.global:st.global"
datamodel = "thread:16:count"
before = """mov.u64 %mem_clock, %clock64;
SAVE.u64 {%mem_clock, ADDR};"""
[sched]
position = "kernel"
datamodel = "warp:16"
before = "x"
after = """SAVE.u64 {%lstart};
SAVE.u32 {%elapse, %smid};"""
`;

describe('probe.toml', () => {
  it('of the current schema has its probes, and its maps with their fields', () => {
    const { schema, registers, callback, probes, maps } = parseProbeFile(current, 'probe.toml');
    expect([schema, registers, callback]).toEqual(['current', 3, 'block_sched_callback.py']);
    expect(probes).toMatchObject([{ name: 'thread_start_thread_end', level: 'warp', positions: ['kernel'] }]);
    expect(maps.map(({ name, level, capacity }) => [name, level, capacity])).toEqual([
      ['block_sched', 'warp', 1],
      ['DMAT', 'thread', 'dynamic'],
    ]);
  });

  it('of the artifact has a map for each probe that keeps something, with what it saves', () => {
    const { schema, callback, probes, maps } = parseProbeFile(artifact, 'probe.toml');
    expect([schema, callback, probes.length]).toEqual(['artifact', 'dmat.py', 3]);
    expect(maps).toEqual([
      {
        name: 'load',
        level: 'thread',
        size: 16,
        capacity: 'dynamic',
        fields: [
          { name: 'mem_clock', type: 'u64' },
          { name: 'addr', type: 'u64' },
        ],
      },
      {
        name: 'sched',
        level: 'warp',
        size: 16,
        capacity: 1,
        fields: [
          { name: 'lstart', type: 'u64' },
          { name: 'elapse', type: 'u32' },
          { name: 'smid', type: 'u32' },
        ],
      },
    ]);
  });

  it('puts fields where probes write them, which is not where they are declared', () => {
    const mixed = current.replace(
      'start = [ "u64", "None",]\nelapsed = [ "u32", "None",]',
      'elapsed = [ "u32", "None",]\nstart = [ "u64", "None",]',
    );
    const [map] = parseProbeFile(mixed, 'probe.toml').maps;
    if (!map) throw new Error('no map');
    expect(Object.fromEntries(fieldOffsets(map))).toEqual({ start: 0, elapsed: 8, cuid: 12 });
    expect(isMisreadByNeutrino(map)).toBe(true);
    expect(parseProbeFile(current, 'probe.toml').maps.map(isMisreadByNeutrino)).toEqual([false, false]);
  });

  it('tells kernloop-trace the bytes of a unit, or that the program counts them', () => {
    const maps = JSON.parse(mapsArgument(parseProbeFile(current, 'probe.toml'))) as { unit_bytes: number | null }[];
    expect(maps.map(({ unit_bytes }) => unit_bytes)).toEqual([16, null]);
  });

  it.each([
    ['no TOML', 'a = ', 'no TOML'],
    ['no probes', 'author = "x"', 'neither'],
    ['a level that is none', current.replace('level = "thread"', 'level = "lane"'), 'map.DMAT.level'],
    ['a probe without code', '[probe.a]\nlevel="warp"\npos="kernel"\n[map]', 'before and after are missing'],
    [
      'fields larger than a record',
      current.replace('size = 16\ncap = 1', 'size = 8\ncap = 1'),
      'size is 8, its fields are 16 bytes',
    ],
    ['a type that is none', current.replace('"u64"', '"u16"'), 'map.block_sched.regs.start.0'],
    ['a datamodel that is none', artifact.replace('warp:16', 'warp'), 'datamodel is "warp"'],
    [
      'a datamodel that does not add up',
      artifact.replace('warp:16', 'warp:24'),
      'datamodel says 24 bytes, what it saves is 16',
    ],
    ['a field with the name of a column', current.replace('cuid', 'block_index'), 'block_index'],
  ])('with %s is refused, and the field is named', (_what, text, message) => {
    const found = thrown(() => parseProbeFile(text, 'some/probe.toml'));
    expect(found.code).toBe('TRACE_INVALID');
    expect(found.what).toContain('some/probe.toml');
    expect(found.what).toContain(message);
  });
});
