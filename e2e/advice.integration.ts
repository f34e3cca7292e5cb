import { join } from 'node:path';
import type { Explanation } from '../lib/advice/advice-json';
import { addExtracted, builtOnce, recompiled } from './fixtures';
import { repository } from './harness';
import { Workspace } from './in-process';

const source = join(repository, 'e2e', 'fixtures', 'advice');
const kernels = [
  ...['columns', 'rows', 'one_bank', 'all_banks', 'odd_lanes', 'odd_waves'],
  ...['local_array', 'one_counter', 'many_registers', 'clamped', 'filtered'],
];

/** Planted waste, counted by hand: 128 blocks of 256 threads are 512 waves, of 64 threads 128 waves. */
describe('the explanation of a replay', () => {
  let workspace: Workspace;

  beforeAll(async () => {
    workspace = Workspace.create([]);
    const build = await builtOnce(source);
    await addExtracted(workspace, source, (where) => {
      where.write('apps/advice/kernloop.json', {
        name: 'advice',
        device: 'softgpu',
        command: [join(build, 'advice')],
        env: { HIP_PLATFORM: 'amd' },
        source,
        compileCommands: join(build, 'compile_commands.json'),
        kernels: [
          ...kernels.map((name) => ({ name, match: `^${name}\\(` })),
          { name: 'scaled', match: '^void scaled<float>' },
        ],
      });
      return 'apps/advice';
    });
  });
  afterAll(() => workspace.remove());

  const explained = async (kernel: string): Promise<Explanation> => {
    const outcome = await workspace.kernloop(['replay', `kernels/advice/${kernel}`, '--explain', '--json']);
    expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
    return (JSON.parse(outcome.stdout) as { result: { explanation: Explanation } }).result.explanation;
  };
  const linesOf = ({ places }: Explanation['advice'][number]): unknown[] =>
    places.map(({ file, line, figures }) => [file?.split('/').at(-1), line, figures]);

  it('counts the lines of memory that a column takes, where the source reads it, and says nothing of a row', async () => {
    // Loads: 512 waves with a line a lane. 256 bytes of each wave need 4 lines, or 5 where they begin within one.
    const { advice, position } = await explained('columns');
    expect(advice.map(({ rule }) => rule)).toEqual(['coalescing']);
    const [found] = advice;
    expect(found?.figures).toEqual({
      transactions: 512 * 64,
      avoidable: 512 * 64 - 512 * 5,
      memory_transactions: 512 * 64 + 512 * 4,
    });
    expect(found && linesOf(found)).toEqual([
      ['advice.hip', 10, { transactions: 512 * 64, bytes: 512 * 256, executed: 512, enough: 512 * 5 }],
    ]);
    expect(position?.bytes).toBe(2 * 512 * 256);
    expect((await explained('rows')).advice).toEqual([]);
  });

  it('counts passes of LDS that lanes on one bank lose, and none where each lane has its own', async () => {
    // Each half of a wave wants 32 dwords of one bank: 32 passes in place of 1.
    const { advice } = await explained('one_bank');
    const [found] = advice.filter(({ rule }) => rule === 'lds-bank-conflicts');
    expect(found?.figures).toEqual({ lost: 2 * 128 * 62, passes: 2 * 128 * 64 });
    expect(found && linesOf(found)).toEqual([
      ['advice.hip', 21, { lost: 128 * 62, passes: 128 * 64 }],
      ['advice.hip', 23, { lost: 128 * 62, passes: 128 * 64 }],
    ]);
    // 8,192 bytes: 8 workgroups of one wave share 64 KiB. A ninth takes 7,281 bytes, which are 14 granules of 512.
    const [occupancy] = advice.filter(({ rule }) => rule === 'occupancy');
    expect(occupancy?.figures).toMatchObject({ waves: 8, most_waves: 32, shared_bytes: 8192, shared_bytes_next: 7168 });
    expect((await explained('all_banks')).advice.map(({ rule }) => rule)).toEqual(['occupancy']);
  });

  it('counts atomics of LDS that meet: 16 lanes on each of two dwords, in each half of a wave', async () => {
    const { advice } = await explained('one_counter');
    expect(advice.find(({ rule }) => rule === 'lds-atomics')?.figures).toMatchObject({ lost: 128 * 2 * 15 });
    expect(advice.map(({ rule }) => rule)).not.toContain('lds-bank-conflicts');
  });

  it('names the line where every wave splits, and none where whole waves go another way', async () => {
    const [found] = (await explained('odd_lanes')).advice;
    expect(found?.rule).toBe('divergence');
    expect(found && linesOf(found)).toEqual([['advice.hip', 39, { splits: 512, executed: 512 }]]);
    expect((await explained('odd_waves')).advice).toEqual([]);
  });

  it('counts private memory, lanes that never run, and units without work', async () => {
    // 16 blocks of 100 threads: each writes 32 floats of 4 bytes and reads one.
    const { advice } = await explained('local_array');
    expect(advice.map(({ rule }) => rule)).toEqual(['scratch', 'partial-waves', 'idle-units']);
    const [scratch, partial, idle] = advice;
    expect(scratch && linesOf(scratch)).toEqual([
      ['advice.hip', 52, { bytes: 1600 * 128 }],
      ['advice.hip', 53, { bytes: 1600 * 4 }],
    ]);
    expect(partial?.figures).toEqual({ threads: 100, waves: 2, idle_lanes: 28 });
    expect(idle?.figures).toEqual({ groups: 16, units: 104 });
  });

  it('says what registers cost: 96 leave 5 waves on each of 4 SIMDs, and 80 six', async () => {
    const [found] = (await explained('many_registers')).advice;
    expect(found?.figures).toMatchObject({
      waves: 20,
      vector_registers: 96,
      waves_next: 24,
      vector_registers_next: 80,
    });
  });

  describe('of an edit', () => {
    const reproducer = 'kernels/advice/rows';
    const file = `${reproducer}/kernel_variant.hip`;
    const head = 'out[i] = in[i / kSide % kSide * kSide + i % kSide];';
    const never = [
      '// Short inputs.',
      'if (gridDim.x < 3) {',
      '  out[i] = 7.0f * in[i % kSide];',
      '  return;',
      '}',
      `const int from = i / kSide % kSide * kSide + i % kSide;`,
      'out[i] = in[from];',
    ];
    /** The app was built with line information, so that its recipe asks for it. */
    const validated = async (of = reproducer) => {
      await recompiled(workspace, of);
      const outcome = await workspace.kernloop(['validate', of]);
      const report = JSON.parse(workspace.read(`${of}/report.json`)) as {
        verdict: string;
        edited_lines?: {
          edited: number;
          without_code: number;
          not_run: object[];
          partly_run: object[];
          selects?: object[];
          one_sided?: object[];
          removed?: object[];
          removed_lines?: object[];
          narrowed?: object[];
        };
      };
      return { ...report, text: outcome.text };
    };

    it('the verdict tells lines that no replay ran from comments and from lines that ran', async () => {
      const original = workspace.read(file);
      const at = original.split('\n').findIndex((line) => line.includes(head)) + 1;
      workspace.write(file, original.replace(head, never.join('\n')));
      const { verdict, edited_lines: lines, text } = await validated();
      expect([verdict, lines?.edited]).toEqual(['pass', never.length]);
      expect(lines?.not_run).toEqual([{ file: 'kernel_variant.hip', line: at + 2 }]);
      expect(lines?.without_code).toBeGreaterThanOrEqual(2);
      expect(text).toMatch(
        new RegExp(`no instruction of 1 of 7 edited lines ran: kernel_variant\\.hip:${at + 2}; \\d ha(?:s|ve) no code`),
      );
    });

    it('a branch that is in the line of its condition is told by its column', async () => {
      const line = `if (gridDim.x < 3) out[i] = 7.0f * in[i % kSide]; else ${head}`;
      const original = workspace.read(file);
      workspace.write(file, workspace.read(`${reproducer}/pristine/kernel_variant.hip`));
      workspace.edit(file, (text) => text.replace(head, line));
      const { verdict, text, edited_lines: lines } = await validated();
      workspace.write(file, original);
      expect([verdict, lines?.not_run]).toEqual(['pass', []]);
      expect(text).toMatch(/a part of 1 of 1 edited lines never ran: kernel_variant\.hip:\d+ from column \d+\n/);
    });

    it('an edited line whose condition came out the same in every lane is named, though it ran as a whole', async () => {
      const original = workspace.read(file);
      workspace.write(file, workspace.read(`${reproducer}/pristine/kernel_variant.hip`));
      workspace.edit(file, (text) =>
        text.replace(head, `float v = ${head.replace('out[i] = ', '')}\nif (v == -1234.5f) v = 3.0f;\nout[i] = v;`),
      );
      const at = workspace.read(file).split('\n').indexOf('if (v == -1234.5f) v = 3.0f;') + 1;
      const { verdict, text, edited_lines: lines } = await validated();
      workspace.write(file, original);
      expect([verdict, lines?.one_sided, lines?.selects]).toEqual([
        'pass',
        [{ file: 'kernel_variant.hip', line: at }],
        [],
      ]);
      expect(text).toContain(
        `kernel_variant.hip:${at} has a condition that came out the same in every lane: its other side was not seen`,
      );
    });

    it('a failing verdict says it too, and nothing where every line ran', async () => {
      workspace.edit(file, (text) => text.replace('gridDim.x < 3', 'gridDim.x > 3'));
      const wrong = await validated();
      expect(wrong.verdict).toBe('fail');
      expect(wrong.edited_lines?.not_run.length).toBeGreaterThan(0);
      workspace.write(file, workspace.read(`${reproducer}/pristine/kernel_variant.hip`));
      // The sum of the same values in another order, which is other machine code with the same results.
      workspace.edit(file, (text) => text.replace(head, head.replace('= ', '= 1.0f - 1.0f + ')));
      const right = await validated();
      expect([right.verdict, right.edited_lines?.not_run ?? []]).toEqual(['pass', []]);
      expect(right.text).not.toContain('edited lines');
    });

    it.each([
      ['local_array', 'i + steps', 'i + 5', 'whether another steps matters', 'parameter'],
      [
        'clamped',
        'int b = static_cast<int>',
        'int b = (signed char)static_cast<int>',
        'values that 1 edited line may narrow',
        'type',
      ],
    ])('%s: a pass with %s as %s says what the input did not show', async (kernel, before, after, words, kind) => {
      const variant = `kernels/advice/${kernel}/kernel_variant.hip`;
      const original = workspace.read(variant);
      const at = original.slice(0, original.indexOf(before)).split('\n').length;
      workspace.write(variant, original.replace(before, after));
      const { verdict, text, edited_lines: lines } = await validated(`kernels/advice/${kernel}`);
      workspace.write(variant, original);
      expect([verdict, lines?.narrowed]).toEqual(['pass', [expect.objectContaining({ line: at, kind })]]);
      expect(text).toContain(`NOT seen: ${words}; `);
    });

    describe('of a template that the file has two instances of', () => {
      const scaled = 'kernels/advice/scaled';
      const judged = async (before: string, after: string) => {
        const original = workspace.read(`${scaled}/kernel_variant.hip`);
        workspace.write(`${scaled}/kernel_variant.hip`, original.replace(before, after));
        const result = await validated(scaled);
        workspace.write(`${scaled}/kernel_variant.hip`, original);
        return result;
      };
      const sum = 'in[i] * 3.0f + 1.0f';

      it('the instructions of the other one count for nothing', async () => {
        const { verdict, text, edited_lines: lines } = await judged(sum, '(in[i] + 1.0f) * 3.0f - 2.0f');
        expect([verdict, lines?.not_run, lines?.partly_run]).toEqual(['pass', [], []]);
        expect(text).not.toContain('NOT');
      });

      it('the same machine code needs no other input', async () => {
        const { verdict, text, edited_lines: lines } = await judged(sum, '1.0f + 3.0f * in[i]');
        expect([verdict, lines]).toEqual(['pass', undefined]);
        expect(text).toContain('the edit changes nothing of it, for any input');
      });
    });

    describe('that removed lines', () => {
      const filtered = 'kernels/advice/filtered';
      const source = `${filtered}/kernel_variant.hip`;
      const judgedAs = async (edit: (text: string) => string) => {
        const original = workspace.read(source);
        workspace.edit(source, edit);
        const result = await validated(filtered);
        workspace.write(source, original);
        const lineOf = (text: string): number => original.slice(0, original.indexOf(text)).split('\n').length;
        return { ...result, lineOf };
      };
      const judged = (...gone: readonly string[]) =>
        judgedAs((text) => gone.reduce((left, line) => left.replace(line, ''), text));
      const [option, extra, fence] = [
        '    v += in[1] * v;\n',
        '    v *= in[k + 1];\n',
        '  if (v > 40.0f) __threadfence();\n',
      ];

      it.each([
        ['a branch that nothing takes', option],
        ['a loop that runs 0 times', extra],
      ])('the pass says of those that never ran before that it does not judge them: %s', async (_, line) => {
        const { verdict, text, lineOf, edited_lines: lines } = await judged(line);
        const place = { file: 'kernel_variant.hip', line: lineOf(line) };
        expect([verdict, lines?.removed_lines]).toEqual(['pass', [{ ...place, seen: 'not run', text: line.trim() }]]);
        expect(text).toContain('Result: PASS (NOT judged: 1 removed line, which never ran before either; ');
        expect(text).toContain(
          `removed: pristine/kernel_variant.hip:${place.line} \`${line.trim()}\`, which never ran in the captured kernel either`,
        );
      });

      it('the pass has no doubt of a condition that came out both ways before', async () => {
        const { verdict, text, edited_lines: lines } = await judged(fence);
        expect([verdict, lines?.removed, lines?.removed_lines]).toEqual(['pass', undefined, undefined]);
        expect(text).not.toContain('NOT');
      });

      it('keeps what ran before for the next edit, and counts it again where that is unreadable', async () => {
        const kept = `${filtered}/build/results/captured-lines.json`;
        const first = workspace.read(kept);
        workspace.write(kept, first.slice(0, first.length / 2));
        const { edited_lines: lines } = await judged(option, extra);
        expect(lines?.removed_lines).toHaveLength(2);
        expect(workspace.read(kept)).toHaveLength(first.length);
      });

      it('are no matter of a verdict that fails', async () => {
        const { verdict, edited_lines: lines } = await judgedAs((text) =>
          text.replace(option, '').replace('option == 7', 'option == 2'),
        );
        expect([verdict, lines?.removed_lines]).toEqual(['fail', undefined]);
      });
    });

    describe('of a clamp that no input reached', () => {
      const clamped = 'kernels/advice/clamped';
      const clamp = '  if (b >= 128) b = 127;\n';
      const add = 'atomicAdd(&bins[b], 1);';
      const judged = async (before: string, after: string) => {
        const source = `${clamped}/kernel_variant.hip`;
        const original = workspace.read(source);
        const line = original.slice(0, original.indexOf(before)).split('\n').length;
        workspace.write(source, original.replace(before, after));
        const result = await validated(clamped);
        workspace.write(source, original);
        return { ...result, line };
      };

      it.each([
        ['another value', '  if (b >= 128) b = 126;\n'],
        ['0', '  if (b >= 128) b = 0;\n'],
      ])('the pass says that its other side was not seen: %s', async (_, after) => {
        const { verdict, text, line, edited_lines: lines } = await judged(clamp, after);
        expect([verdict, lines?.one_sided]).toEqual(['pass', [{ file: 'kernel_variant.hip', line }]]);
        expect(text).toContain('Result: PASS (NOT seen: the other side of a condition in 1 of 1 edited line; ');
      });

      it('the pass says it where the value is in a line of its own', async () => {
        const { verdict, line, edited_lines: lines } = await judged('    b = 3;', '    b = 4;');
        const under = { file: 'kernel_variant.hip', line, condition_line: line - 1 };
        expect([verdict, lines?.one_sided]).toEqual(['pass', [under]]);
      });

      it('the pass says that it was removed', async () => {
        const { verdict, text, line, edited_lines: lines } = await judged(clamp, '');
        expect([verdict, lines?.removed]).toEqual(['pass', [{ file: 'kernel_variant.hip', line, text: clamp.trim() }]]);
        expect(text).toContain('Result: PASS (NOT seen: whether 1 removed condition matters; ');
      });

      it.each([
        ['folded away', '  if (b >= 128) b = b;\n'],
        ['replaced by a mask', '  b &= 127;\n'],
        ['switched off', `#if 0\n${clamp}#endif\n`],
      ])('the pass says that it was removed where it was %s', async (_, after) => {
        const { verdict, line, edited_lines: lines } = await judged(clamp, after);
        expect([verdict, lines?.removed]).toEqual(['pass', [{ file: 'kernel_variant.hip', line, text: clamp.trim() }]]);
      });

      it('the pass says nothing of it where another line was edited', async () => {
        const { verdict, text } = await judged(add, 'atomicAdd(bins + b, 1);');
        expect(verdict).toBe('pass');
        expect(text).not.toContain('NOT');
      });
    });
  });
});
