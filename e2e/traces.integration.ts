import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tableFromIPC } from 'apache-arrow';
import { makeTrace, unitsOf, valueOf, type MadeLaunch } from '../lib/trace/testing/make-trace';
import { parseProbeFile } from '../lib/trace/read-probe-file';
import { dialects, type Dialect } from '../lib/trace/words';
import { repository, run } from './harness';
import { Workspace } from './in-process';

/** The third map declares a u32 before a u64: probes write the u64 first. */
const probeToml = `regs = 3
[probe.all]
level = "warp"
pos = "kernel"
before = "mov.u64 %NR0, %clock64;"
[map.sched]
level = "warp"
type = "array"
size = 16
cap = 1
[map.sched.regs]
start = ["u64", "None"]
elapsed = ["u32", "None"]
cuid = ["u32", "None"]
[map.accesses]
level = "thread"
type = "array"
size = 16
cap = "dynamic"
[map.accesses.regs]
clock = ["u64", "None"]
addr = ["u64", "None"]
[map.mixed]
level = "thread"
type = "array"
size = 16
cap = 2
[map.mixed.regs]
few = ["u32", "None"]
many = ["u64", "None"]
more = ["u32", "None"]
`;

const probe = parseProbeFile(probeToml, 'probe.toml');
const python = `${repository}/python/.venv/bin/python3`;

/** Output of each reader: map, block, unit, record, fields. */
function expectedRows(launch: MadeLaunch, dialect: Dialect): string {
  const warp = dialect === 'hip-total' ? 64 : 32;
  const blocks = launch.grid.reduce((a, b) => a * b, 1);
  const lines: string[] = [];
  for (const [index, map] of probe.maps.entries()) {
    const records = map.capacity === 'dynamic' ? (launch.counted ?? 0) : map.capacity;
    for (let block = 0; block < blocks; block++) {
      for (let unit = 0; unit < unitsOf(map, launch, warp); unit++) {
        for (let record = 0; record < records; record++) {
          const values = map.fields.map(({ type }, field) =>
            BigInt.asUintN(type === 'u64' ? 64 : 32, valueOf(index, block, unit, record, field)),
          );
          lines.push([map.name, block, unit, record, ...values].join(' '));
        }
      }
    }
  }
  return `${lines.join('\n')}\n`;
}

const pythonMain = `
import os, sys
from read_trace import parse
_, _, maps = parse(sys.argv[1], offsets="repaired")
for name, records in maps.items():
    for block, units in enumerate(records):
        for unit, slots in enumerate(units):
            for number, record in enumerate(slots):
                print(name, block, unit, number, *(getattr(record, field) for field in records.dtype.names))
for cut in reversed(range(os.path.getsize(sys.argv[1]))):
    os.truncate(sys.argv[1], cut)
    try:
        parse(sys.argv[1], offsets="repaired")
    except ValueError:
        continue
    sys.exit(f"cut to {cut} bytes it was read")
`;

const fieldsOf = (name: string): string =>
  probe.maps
    .find((map) => map.name === name)
    ?.fields.map((field) => field.name)
    .join(' ') ?? '';

function cMain(): string {
  const loops = probe.maps.map(({ name, fields }) => {
    const values = fields.map((field) => `(unsigned long long)r.${field.name}`).join(', ');
    return `for (uint64_t b = 0; b < t.blocks; b++)
    for (uint64_t u = 0; u < t.maps[TRACE_MAP_${name}].units; u++)
      for (uint64_t k = 0; k < t.maps[TRACE_MAP_${name}].records; k++) {
        struct trace_record_${name} r = trace_at_${name}(&t, b, u, k);
        printf("${name} %llu %llu %llu${' %llu'.repeat(fields.length)}\\n", (unsigned long long)b, (unsigned long long)u, (unsigned long long)k, ${values});
      }`;
  });
  return `#include "read_trace.h"
#include <stdlib.h>
int main(int argc, char **argv) {
  struct trace t;
  struct stat s;
  if (argc != 2 || trace_open(&t, argv[1], NULL, TRACE_OFFSETS_REPAIRED) != 0) { fprintf(stderr, "%s\\n", t.error); return 1; }
  ${loops.join('\n  ')}
  trace_close(&t);
  fflush(stdout);
  if (stat(argv[1], &s) != 0) return 1;
  for (off_t cut = s.st_size - 1; cut >= 0; cut--) {
    if (truncate(argv[1], cut) != 0) return 1;
    if (trace_open(&t, argv[1], NULL, TRACE_OFFSETS_REPAIRED) == 0 || t.error[0] == 0) { fprintf(stderr, "cut to %ld bytes it was read\\n", (long)cut); return 1; }
  }
  return 0;
}
`;
}

const nodeMain = `
const { parse } = require('./read_trace.js');
const { statSync, truncateSync } = require('node:fs');
const path = process.argv[2];
const lines = [];
for (const [name, records] of Object.entries(parse(path, { offsets: 'repaired' }).records)) {
  for (let b = 0; b < records.blocks; b++)
    for (let u = 0; u < records.units; u++)
      for (let k = 0; k < records.records; k++) lines.push([name, b, u, k, ...Object.values(records.at(b, u, k))].join(' '));
}
process.stdout.write(lines.join('\\n') + '\\n');
for (let cut = statSync(path).size - 1; cut >= 0; cut--) {
  truncateSync(path, cut);
  try { parse(path, { offsets: 'repaired' }); } catch { continue; }
  throw new Error('cut to ' + cut + ' bytes it was read');
}
`;

describe('traces of Neutrino', () => {
  let workspace: Workspace;
  const launches: Readonly<Record<string, MadeLaunch>> = {
    whole: { grid: [2, 2, 1], block: [16, 4, 1], sharedBytes: 64, counted: 1 },
    ragged: { grid: [3, 1, 1], block: [33, 1, 1], counted: 1 },
  };
  const files = dialects.flatMap((dialect) => Object.keys(launches).map((kind) => [dialect, kind] as const));

  beforeAll(() => {
    workspace = Workspace.create([]);
    workspace.write('probe.toml', probeToml);
    for (const [dialect, kind] of files) {
      const launch = launches[kind];
      if (launch) writeFileSync(workspace.path(`${dialect}-${kind}.bin`), makeTrace(dialect, launch, probe.maps));
    }
  });
  afterAll(() => workspace.remove());

  it.each(files)('of dialect %s, %s: exported, every value is the one that it was made from', async (dialect, kind) => {
    const out = workspace.path(`out-${dialect}-${kind}`);
    const args = [
      'trace',
      'export',
      `${dialect}-${kind}.bin`,
      '--probe',
      'probe.toml',
      '--offsets',
      'repaired',
      '--output',
      out,
    ];
    for (const format of kind === 'whole' && dialect === 'warp-div' ? ['csv', 'arrow', 'parquet'] : ['csv']) {
      const outcome = await workspace.kernloop([...args, '--format', format, '--json']);
      expect([outcome.code, outcome.text]).toEqual([0, expect.stringContaining('"rows"')]);
    }
    const rows = probe.maps.map(({ name }) =>
      readFileSync(`${out}/${dialect}-${kind}.${name}.csv`, 'utf8')
        .split('\n')
        .slice(1, -1)
        .map((line) => `${name} ${line.replaceAll(',', ' ')}\n`)
        .join(''),
    );
    const launch = launches[kind];
    expect(rows.join('')).toBe(launch && expectedRows(launch, dialect));
    if (kind !== 'whole' || dialect !== 'warp-div') return;
    const arrow = tableFromIPC(readFileSync(`${out}/${dialect}-${kind}.mixed.arrow`));
    const many = [...(arrow.getChild('many') ?? [])].map(String);
    expect(many).toEqual(
      (rows[2] ?? '')
        .split('\n')
        .slice(0, -1)
        .map((line) => line.split(' ')[5]),
    );
    expect(readFileSync(`${out}/${dialect}-${kind}.mixed.parquet`).subarray(0, 4).toString()).toBe('PAR1');
  });

  it('is written over by the next run, and over nothing of the user’s', async () => {
    const trace = ['warp-div-whole.bin', '--probe', 'probe.toml'];
    const verbs: [string[], string, string][] = [
      [['trace', 'gen', 'probe.toml', '--language', 'python'], 'own/read.py', 'own/read.py'],
      [['trace', 'export', ...trace, '--offsets', 'repaired'], 'own', 'own/warp-div-whole.mixed.parquet'],
      [
        ['trace', 'export', ...trace, '--offsets', 'repaired', '--format', 'csv'],
        'own',
        'own/warp-div-whole.mixed.csv',
      ],
      [
        ['trace', 'analyze', ...trace, '--offsets', 'repaired', '--map', 'sched'],
        'own',
        'own/warp-div-whole.sched.pftrace',
      ],
    ];
    for (const [args, output, file] of verbs) {
      for (let run = 0; run < 2; run++)
        expect(await workspace.kernloop([...args, '--output', output])).toMatchObject({ code: 0 });
      writeFileSync(workspace.path(file), 'mine');
      const refused = await workspace.kernloop([...args, '--output', output]);
      expect([refused.code, refused.text]).toEqual([2, expect.stringContaining('[TARGET_EXISTS]')]);
      expect(readFileSync(workspace.path(file), 'utf8')).toBe('mine');
      expect(
        readdirSync(workspace.path('own')).filter((name) => name.startsWith('.') || name.includes('partial')),
      ).toEqual([]);
      rmSync(workspace.path(file));
    }
  });

  describe.each(['python', 'c', 'typescript'])('read by a generated reader in %s', (language) => {
    let command: (file: string) => [string, string[]];

    beforeAll(async () => {
      mkdirSync(workspace.path(language), { recursive: true });
      const extension = { python: 'py', c: 'h', typescript: 'ts' }[language] ?? '';
      const file = workspace.path(language, `read_trace.${extension}`);
      const outcome = await workspace.kernloop([
        'trace',
        'gen',
        'probe.toml',
        '--language',
        language,
        '--output',
        file,
      ]);
      expect([outcome.code, outcome.text]).toEqual([0, expect.stringContaining('sched, accesses, mixed')]);
      if (language === 'python') {
        workspace.write('python/main.py', pythonMain);
        command = (trace) => [python, ['-B', workspace.path('python/main.py'), trace]];
      } else if (language === 'c') {
        workspace.write('c/main.c', cMain());
        const flags = [
          '-std=c99',
          '-D_POSIX_C_SOURCE=200809L',
          '-Wall',
          '-Wextra',
          '-Werror',
          '-O1',
          '-fsanitize=address,undefined',
        ];
        execFileSync('gcc', [...flags, '-o', workspace.path('c/main'), workspace.path('c/main.c')]);
        command = (trace) => [workspace.path('c/main'), [trace]];
      } else {
        const types = ['--types', 'node', '--typeRoots', `${repository}/node_modules/@types`];
        const strict = ['--strict', '--noUncheckedIndexedAccess', '--target', 'es2022', '--module', 'commonjs'];
        execFileSync(`${repository}/node_modules/typescript/bin/tsc`, [...strict, ...types, file], {
          stdio: 'inherit',
        });
        workspace.write('typescript/main.js', nodeMain);
        command = (trace) => [process.execPath, [workspace.path('typescript/main.js'), trace]];
      }
    });

    it.each(files)('dialect %s, %s: the same values, and cut off anywhere an error', async (dialect, kind) => {
      const copy = workspace.path(`${language}-${dialect}-${kind}.bin`);
      writeFileSync(copy, readFileSync(workspace.path(`${dialect}-${kind}.bin`)));
      const [program, args] = command(copy);
      const outcome = await run(program, args);
      const launch = launches[kind];
      expect([outcome.code, outcome.stderr, outcome.stdout]).toEqual([0, '', launch && expectedRows(launch, dialect)]);
    });
  });

  it('of a damaged file end with exit code 2 and the name of the field', async () => {
    const bytes = readFileSync(workspace.path('warp-div-whole.bin'));
    writeFileSync(workspace.path('cut.bin'), bytes.subarray(0, bytes.length - 1));
    const outcome = await workspace.kernloop(['trace', 'read', 'cut.bin', '--probe', 'probe.toml']);
    expect([outcome.code, outcome.stderr]).toEqual([
      2,
      expect.stringMatching(/section\[2\]\.size.*\[TRACE_INVALID\]/s),
    ]);
  });

  it('say what they hold, and warn of what Neutrino itself reads wrongly', async () => {
    const outcome = await workspace.kernloop(['trace', 'read', 'unit-whole.bin', '--probe', 'probe.toml']);
    expect([outcome.code, outcome.stdout]).toEqual([
      0,
      expect.stringMatching(/dialect unit, grid 2x2x1, block 16x4x1/),
    ]);
    expect(outcome.stderr).toContain(`map mixed declares a u32 before a u64`);
    expect(fieldsOf('mixed')).toBe('few many more');
  });

  it('are analysed: blocks, pages and counts as they were made, with plots and tracks', async () => {
    const values = (map: number, block: number, unit: number, record: number, field: number): bigint => {
      if (map === 0) return [1000n + BigInt(block) * 100n, 80n, BigInt(block % 2) * 7n][field] ?? 0n;
      if (map === 1)
        return record === 2 ? 0n : BigInt(field === 0 ? 1 + record * 100 + unit : 0x7f00_0000_0000 + record * 0x10000);
      return BigInt(field + unit);
    };
    const launch = { grid: [2, 2, 1], block: [16, 4, 1], counted: 3 } as const;
    writeFileSync(workspace.path('made.bin'), makeTrace('warp-div', launch, probe.maps, values));
    const args = [
      'trace',
      'analyze',
      'made.bin',
      '--probe',
      'probe.toml',
      '--output',
      'drawn',
      '--bins',
      '2',
      '--json',
    ];
    const outcome = await workspace.kernloop(args);
    expect([outcome.code, outcome.stderr]).toEqual([0, expect.any(String)]);
    const { result } = JSON.parse(outcome.stdout) as { result: { analyses: { result: object }[] } };
    const [sched, heat, totals] = result.analyses.map((analysis) => analysis.result);
    // Blocks 0 and 2 run on processor 0, 1 and 3 on 7, for 80 cycles each, from 1000 to 1380.
    expect(sched).toMatchObject({
      blocks: 4,
      cycles: '0x17c',
      tail_cycles: '0x64',
      processors: [
        { id: 0, busy: '0xa0' },
        { id: 7, lanes: 1 },
      ],
    });
    expect(heat).toMatchObject({
      accesses: 4 * 64 * 2,
      empty: 4 * 64,
      pages: [
        { address: '0x7f0000000000', accesses: 256 },
        { address: '0x7f0000010000', accesses: 256, counts: [0, 256] },
      ],
    });
    // The sum of 0 to 63, for every block and slot.
    expect(totals).toMatchObject({
      columns: [{ name: 'few', sum: `0x${(8 * 2016).toString(16)}` }, { name: 'many' }, {}],
    });
    expect(workspace.read('drawn/made.sched.svg')).toMatch(/^<svg/);
    expect(readFileSync(workspace.path('drawn/made.sched.pftrace')).length).toBeGreaterThan(200);
  });
});
