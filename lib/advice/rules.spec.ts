import type { Explanation, RuleName } from './advice-json';
import { advise } from './advise';
import { explanationLines } from './advice-text';
import type { CountedInstruction, Facts } from './facts';
import { unitOf } from './units';

const code = {
  processor: 'gfx90a',
  waveSize: 64,
  vectorRegisters: 24,
  scalarRegisters: 20,
  spilled: { vector: 0, scalar: 0 },
  privateBytes: 0,
  staticShared: 0,
  isOnTwoUnits: false,
};

const facts = (more: Partial<Facts>): Facts => ({
  launch: { threads: 256, groups: 1000, dynamicShared: 0 },
  code,
  counters: { valu: 100, valu_lanes: 6400, lane_bytes: 6400, memory_transactions: 100, ...more.counters },
  instructions: [],
  textOf: (file, line) => `text of ${file}:${line}`,
  ...Object.fromEntries(Object.entries(more).filter(([name]) => name !== 'counters')),
});

const at = (line: number | null, figures: Record<string, number>, instruction = 'i'): CountedInstruction => ({
  offset: `0x${(line ?? 0).toString(16)}`,
  instruction,
  file: line === null ? null : 'k.hip',
  line,
  figures,
});

const rulesOf = ({ advice }: Explanation): RuleName[] => advice.map(({ rule }) => rule);
const only = (found: Explanation, wanted: RuleName) => {
  const [one, ...others] = found.advice.filter(({ rule }) => rule === wanted);
  if (!one || others.length > 0) throw new Error(`${wanted}: ${rulesOf(found).join(', ')}`);
  return one;
};

describe('advice', () => {
  it('is nothing where nothing is proven', () => {
    expect(advise(facts({})).advice).toEqual([]);
    expect(explanationLines(advise(facts({})), 'what limits it:')).toEqual([
      'what limits it:',
      '  nothing that these figures prove',
      '  position: 1.00 vector operations a byte (6,400 by lanes, 6,400 bytes of global memory), 1.0 vector ALU instructions a transaction of 64 bytes',
      '  not told: source lines: the code has no line information; `kernloop recompile --line-info` builds code that has',
    ]);
  });

  describe('on coalescing', () => {
    // 10 loads of 4 bytes by 64 lanes: 256 bytes each. In a column each lane has a line of its own: 640 lines.
    const column = { executed: 10, bytes_read: 2560, memory_transactions: 640 };
    const row = { executed: 10, bytes_read: 2560, memory_transactions: 40 };

    it('counts the lines that a column takes and a row would not, by source line', () => {
      const found = advise(
        facts({ counters: { memory_transactions: 1320 }, instructions: [at(5, row), at(7, column), at(7, column)] }),
      );
      // 10 + 2,560 / 64 = 50 lines are enough for each of the two.
      expect(only(found, 'coalescing')).toMatchObject({
        says: 'at least 1,180 of 1,320 memory transactions would go if neighbouring lanes shared lines of 64 bytes',
        figures: { transactions: 1280, avoidable: 1180, memory_transactions: 1320 },
        places: [{ file: 'k.hip', line: 7, text: 'text of k.hip:7', offset: null, figures: { transactions: 1280 } }],
      });
    });

    it.each([
      ['a row', row],
      ['a row that begins in the middle of a line', { executed: 10, bytes_read: 2560, memory_transactions: 50 }],
      ['a single lane', { executed: 10, bytes_read: 40, memory_transactions: 10 }],
      ['16 bytes a lane', { executed: 10, bytes_read: 10_240, memory_transactions: 160 }],
      ['lanes that share one address', { executed: 10, bytes_read: 2560, memory_transactions: 10 }],
      // Half of the executions have one lane and half 64: 5 + 5 * 4 lines, which no order of addresses improves.
      ['full waves and single lanes mixed', { executed: 10, bytes_read: 1300, memory_transactions: 25 }],
      // The worst mixture: 320 single lanes and 100 full waves need 720 lines.
      ['mixed at worst', { executed: 420, bytes_read: 26_880, memory_transactions: 720 }],
      ['a scalar load', { executed: 10, bytes_read: 640 }],
    ])('says nothing of %s', (_, figures) => {
      expect(rulesOf(advise(facts({ instructions: [at(5, figures)] })))).not.toContain('coalescing');
    });

    it('counts the bytes of an atomic once', () => {
      const atomic = { executed: 10, bytes_read: 2560, bytes_written: 2560, memory_transactions: 80 };
      expect(only(advise(facts({ instructions: [at(5, atomic)] })), 'coalescing').figures).toMatchObject({
        avoidable: 30,
      });
    });

    it('says nothing where it costs less than a twentieth of all transactions', () => {
      const few = facts({ counters: { memory_transactions: 20_000 }, instructions: [at(7, column)] });
      expect(rulesOf(advise(few))).toEqual([]);
    });
  });

  describe('on LDS', () => {
    it('counts passes lost to banks by line, and to atomics apart', () => {
      const found = advise(
        facts({
          counters: { lds_passes: 1000, lds_bank_conflicts: 300, lds_address_conflicts: 100 },
          instructions: [
            at(3, { executed: 10, lds_passes: 400, lds_bank_conflicts: 100 }),
            at(4, { executed: 10, lds_passes: 400, lds_bank_conflicts: 200 }),
            at(5, { executed: 10, lds_passes: 200, lds_address_conflicts: 100 }),
          ],
        }),
      );
      expect(rulesOf(found)).toEqual(['lds-bank-conflicts', 'lds-atomics']);
      expect(only(found, 'lds-bank-conflicts').says).toContain('300 of 1,000 passes through LDS (30.0%)');
      expect(only(found, 'lds-bank-conflicts').places.map(({ line, says }) => [line, says])).toEqual([
        [4, '200 of 400 passes lost'],
        [3, '100 of 400 passes lost'],
      ]);
      expect(only(found, 'lds-atomics').places.map(({ line }) => line)).toEqual([5]);
    });

    it('says nothing without conflicts, nor where they are not counted', () => {
      expect(rulesOf(advise(facts({ counters: { lds_passes: 1000, lds_bank_conflicts: 0 } })))).toEqual([]);
      expect(rulesOf(advise(facts({ counters: { lds: 1000 } })))).toEqual([]);
    });
  });

  describe('on divergence', () => {
    it('gives active lanes and the lines that split waves', () => {
      const counters = { valu: 100, valu_lanes: 4800, divergent_branches: 7 };
      const found = advise(facts({ counters, instructions: [at(9, { executed: 8, splits: 7 })] }));
      expect(only(found, 'divergence')).toMatchObject({
        says: '48.0 of 64 lanes are active in vector ALU instructions, and control flow splits waves 7 times',
        places: [{ line: 9, says: 'splits a wave 7 of 8 times' }],
      });
    });

    it('says nothing where no wave splits, however few lanes are active, nor where almost all are', () => {
      expect(rulesOf(advise(facts({ counters: { valu: 100, valu_lanes: 3200 } })))).toEqual([]);
      const last = { valu: 100, valu_lanes: 6390, divergent_branches: 1 };
      expect(rulesOf(advise(facts({ counters: last })))).toEqual([]);
    });

    it('counts no lanes that the last wave of a workgroup lacks', () => {
      // 100 threads are waves of 64 and of 36 lanes: 50 on average.
      const launch = { threads: 100, groups: 2000, dynamicShared: 0 };
      const whole = { valu: 100, valu_lanes: 4900, divergent_branches: 1 };
      expect(rulesOf(advise(facts({ launch, counters: whole })))).not.toContain('divergence');
      const found = advise(facts({ launch, counters: { ...whole, valu_lanes: 2500 } }));
      expect(only(found, 'divergence').says).toMatch(/^25\.0 of 50 lanes are active/);
    });

    it('measures by the lanes of the kernel’s waves', () => {
      const narrow = { ...code, processor: 'gfx1030', waveSize: 32 };
      const counters = { valu: 100, valu_lanes: 3200, divergent_branches: 1 };
      expect(rulesOf(advise(facts({ code: narrow, counters })))).toEqual([]);
    });
  });

  describe('on private memory', () => {
    const counters = { scratch_bytes_read: 3072, scratch_bytes_written: 1024, bytes_read: 4096 };

    it('tells spills from arrays by what the compiler said', () => {
      const instructions = [at(6, { executed: 4, scratch_bytes_read: 3072 }), at(2, { scratch_bytes_written: 1024 })];
      const spilling = { ...code, privateBytes: 16, spilled: { vector: 3, scalar: 0 } };
      const spilled = only(advise(facts({ counters, instructions, code: spilling })), 'scratch');
      expect(spilled.says).toBe(
        'the kernel uses 16 bytes of private memory a lane, 4.0 KiB of it read and written; the compiler spilled 3 vector registers',
      );
      expect(spilled.next).toContain('keep fewer values alive');
      expect(spilled.places.map(({ line, says }) => [line, says])).toEqual([
        [6, '3.0 KiB'],
        [2, '1.0 KiB'],
      ]);
      const array = only(advise(facts({ counters, code: { ...code, privateBytes: 128 } })), 'scratch');
      expect(array.next).toContain('spilled no vector register');
    });

    it('says nothing of memory that no wave used, and without counters what the code object tells', () => {
      const reserving = { ...code, privateBytes: 128 };
      expect(rulesOf(advise(facts({ code: reserving })))).toEqual([]);
      const uncounted = { ...facts({ code: reserving }), counters: null };
      expect(only(advise(uncounted), 'scratch').says).toBe('the kernel uses 128 bytes of private memory a lane');
      expect(advise(uncounted).not_told).toEqual(['memory, LDS, divergence: only the software GPU counts them']);
      expect(advise({ ...facts({}), counters: null }).advice).toEqual([]);
    });
  });

  it('on workgroups that do not fill their waves counts lanes that never run', () => {
    const launched = (threads: number) => advise(facts({ launch: { threads, groups: 1000, dynamicShared: 0 } }));
    expect(only(launched(100), 'partial-waves')).toMatchObject({
      says: 'a workgroup of 100 threads takes 2 waves of 64 lanes: 28 of 128 lanes never run',
      figures: { threads: 100, waves: 2, idle_lanes: 28 },
    });
    expect(rulesOf(launched(128))).toEqual([]);
    expect(rulesOf(launched(1023))).not.toContain('partial-waves');
  });

  describe('on occupancy', () => {
    const with_ = (more: object, launch: object = {}) =>
      advise(
        facts({ code: { ...code, ...more }, launch: { threads: 256, groups: 1000, dynamicShared: 0, ...launch } }),
      );

    it('names the limit and the cost of the next step', () => {
      expect(only(with_({ vectorRegisters: 96 }), 'occupancy')).toMatchObject({
        says: '20 of 32 waves fit into a compute unit, because of the 96 vector registers of a lane; this launch fills 200 compute units',
        next: '16 vector registers fewer (80) would let 4 more waves in: 24',
        figures: { waves: 20, most_waves: 32, vector_registers_next: 80, waves_next: 24 },
      });
      expect(only(with_({ vectorRegisters: 96, spilled: { vector: 3, scalar: 0 } }), 'occupancy').next).toBe(
        '16 vector registers fewer (80) would let 4 more waves in: 24; the compiler spills already, so that fewer registers cost private memory',
      );
      // Dynamic LDS counts: 4,096 static and 12,288 dynamic bytes are 16 KiB, of which 64 KiB hold four.
      expect(only(with_({ staticShared: 4096 }, { dynamicShared: 12_288 }), 'occupancy')).toMatchObject({
        says: '16 of 32 waves fit into a compute unit, because of the 16,384 bytes of LDS of a workgroup; this launch fills 250 compute units',
        next: '3,584 bytes of LDS less (12,800) would let 4 more waves in: 20',
      });
      expect(only(with_({}, { threads: 768 }), 'occupancy').next).toMatch(/^another size of the workgroup/);
    });

    it('says nothing of a launch that gives each unit one workgroup at most', () => {
      const { units = 0 } = unitOf(code)?.product ?? {};
      expect(units).toBeGreaterThan(1);
      expect(rulesOf(with_({ staticShared: 60_000 }, { groups: units }))).not.toContain('occupancy');
      expect(rulesOf(with_({ staticShared: 60_000 }, { groups: units + 1 }))).toContain('occupancy');
    });

    it('in the words of NVIDIA', () => {
      const cubin = { processor: 'sm_90', waveSize: 32, vectorRegisters: 40, scalarRegisters: null, spilled: null };
      expect(only(with_(cubin), 'occupancy')).toMatchObject({
        says: '48 of 64 warps fit into a multiprocessor, because of the 40 registers of a thread; this launch fills 167 multiprocessors',
        next: '8 registers fewer (32) would let 16 more warps in: 64',
      });
      const uncounted = { ...facts({ code: { ...code, ...cubin, privateBytes: 256 } }), counters: null };
      expect(only(advise(uncounted), 'scratch').says).toBe('the kernel uses 256 bytes of local memory a thread');
    });

    it('says nothing where all waves fit, nor where a limit is not known, which is told', () => {
      expect(rulesOf(with_({ vectorRegisters: 64 }))).toEqual([]);
      expect(rulesOf(with_({ vectorRegisters: 96 }, { dynamicShared: null }))).toEqual([]);
      expect(rulesOf(with_({ vectorRegisters: 96, processor: 'gfx906' }))).toEqual([]);
      expect(with_({ processor: 'gfx906' }).not_told).toContain('occupancy: the limits of gfx906 are not known here');
    });
  });

  it('on launches with fewer workgroups than a GPU has units counts those that have nothing to do', () => {
    const launched = (groups: number) => advise(facts({ launch: { threads: 256, groups, dynamicShared: 0 } }));
    expect(only(launched(40), 'idle-units').says).toBe(
      'the launch has 40 workgroups, and an MI210 104 compute units: 64 of them have nothing to do',
    );
    expect(rulesOf(launched(104))).toEqual([]);
  });

  it('names instructions where the code has no lines', () => {
    const instructions = [
      at(null, { executed: 10, bytes_read: 2560, memory_transactions: 640 }, 'global_load_dword v1'),
    ];
    const found = advise(facts({ counters: { memory_transactions: 640 }, instructions }));
    expect(explanationLines(found, 'it:')[2]).toBe(
      '    0x0 global_load_dword v1: 640 lines of 64 bytes for 2,560 bytes, 4.0 bytes of each; 50 would do',
    );
  });
});
