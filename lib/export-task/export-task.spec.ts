import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { failure } from '../testing/failure';
import { fakeReplay, flag } from '../testing/fake-programs';
import { captureJson, kernelJson, reproducerForEachTest, someDigest } from '../testing/workspace';
import { exportTask } from './export-task';
import { exportTaskOptionsSchema, type ExportTaskOptions } from './options';

const content = { chunks: [someDigest] };
const region = (id: string, base: string, size: number): object => ({ id, base, size, pre: content, post: content });
const argument = (index: number, name: string | null, type: string, more: object = {}): object => ({
  ...{ index, name, type, declared: type, role: 'in', element: null, offset: 8 * index, size: 8, kind: 'by_value' },
  ...more,
});

describe('export-task', () => {
  const made = reproducerForEachTest();
  const output = (): string => made.workspace.path('task');
  const read = (name: string): string => readFileSync(join(output(), name), 'utf8');

  const exported = async (format: ExportTaskOptions['format'], deps: FakeDeps): Promise<string[]> => {
    const options = exportTaskOptionsSchema.parse({ reproducer: made.reproducer, format, output: output() });
    return (await exportTask(options, deps)).files;
  };

  describe('for AgentKernelArena', () => {
    const arena = (): Promise<string[]> => exported('agent-kernel-arena', fakeDeps({}, made.workspace.native));

    it('is a folder with its source, its capture, the commands that its runs give, and the arch that it needs', async () => {
      made.workspace.write('kernels/app/saxpy/deps/scale.h', '#define SCALE 2\n');
      for (const name of ['report.json', 'build/variant.hsaco', 'mine.hsaco', 'README.md'])
        made.workspace.write(`kernels/app/saxpy/${name}`, 'x');
      const expected = ['capture', 'config.yaml', 'deps', 'kernel.json', 'kernel_variant.hip', 'pristine'];
      expect(await arena()).toEqual([...expected, 'scripts/task_runner.py']);
      expect(readdirSync(output()).sort()).toEqual([...expected, 'scripts']);
      expect(readdirSync(join(output(), 'capture')).sort()).toEqual(['capture.json', 'chunks.pack', 'selfcheck.json']);
      expect(read('config.yaml').split('\n')).toEqual(
        expect.arrayContaining([
          ...['source_file_path:', '- "kernel_variant.hip"', 'target_kernel_functions:', '- "saxpy"'],
          ...['compile_command:', '- "python3 scripts/task_runner.py compile"', 'task_type: hip2hip'],
          ...['correctness_command:', '- "python3 scripts/task_runner.py correctness"', '  required_arch: "gfx90a"'],
        ]),
      );
    });

    it('judges as the app has validate, which no longer is above it, and by derived inputs', async () => {
      made.workspace.write('app/kernloop.json', {
        ...{ name: 'app', command: ['x'], kernels: [], options: { validate: { rtol: 0.1, dtype: ['x=f32'] } } },
      });
      await arena();
      const { options, ...config } = JSON.parse(read('kernel.json')) as { options: { validate: object } };
      expect(config).toHaveProperty('task_of', 'agent-kernel-arena');
      expect(options.validate).toMatchObject({ rtol: 0.1, dtype: ['x=f32'], inputs: 4 });
      expect(options.validate).not.toHaveProperty('reproducer');
      rmSync(output(), { recursive: true });
      made.workspace.write('app/kernloop.json', {
        ...{ name: 'app', command: ['x'], kernels: [], options: { validate: { inputs: 0 } } },
      });
      await arena();
      expect(read('kernel.json')).toContain('"inputs": 0');
    });

    it('is refused for what is no HIP source, and for content that would stay behind', async () => {
      const other = { language: 'cuda', source: { ...sourceOf(), variant: 'kernel_variant.cu' } };
      made.workspace.write('kernels/app/saxpy/kernel.json', kernelJson(other));
      expect(await failure(arena())).toMatchObject({
        code: 'EXPORT_UNSUPPORTED',
        what: expect.stringMatching(/HIP/) as string,
      });
      made.workspace.write('kernels/app/saxpy/kernel.json', kernelJson());
      rmSync(join(made.reproducer, 'capture/chunks.pack'));
      expect(await failure(arena())).toMatchObject({
        code: 'EXPORT_UNSUPPORTED',
        what: expect.stringMatching(/store/) as string,
      });
      expect(existsSync(output())).toBe(false);
    });

    it('never writes into a folder that holds something', async () => {
      made.workspace.write('task/mine', 'mine');
      expect((await failure(arena())).code).toBe('TARGET_EXISTS');
      expect(readdirSync(output())).toEqual(['mine']);
    });
  });

  const sourceOf = (): object => (kernelJson() as { source: object }).source;

  describe('for flashinfer-bench', () => {
    const floats = (...values: number[]): Buffer => Buffer.from(Float32Array.from(values).buffer);
    const args = [
      argument(0, 'a', 'float', { size: 4 }),
      argument(1, 'lambda', 'float const*', { element: 'f32', kind: 'global_buffer' }),
      argument(2, 'y', 'float*', { element: 'f32', role: 'inout', kind: 'global_buffer' }),
      argument(3, null, 'int', { size: 4 }),
    ];
    const slots = [
      { offset: 0, value: '0x40200000' },
      { offset: 8, value: '0x1004', region: 'r0' },
      { offset: 16, value: '0x2000', region: 'r1' },
      { offset: 24, value: '0xfffffffe' },
    ];
    const memory = { pre: [floats(9, 1, 2), floats(3, 4)], post: [floats(9, 1, 2), floats(5.5, 9)] };

    const reproducer = (kernel: object = {}, capture: object = {}): void => {
      made.workspace.write('kernels/app/saxpy/kernel.json', kernelJson({ args, ...kernel }));
      made.workspace.write(
        'kernels/app/saxpy/capture/capture.json',
        captureJson({
          kernarg: { slots },
          regions: [region('r0', '0x1000', 12), region('r1', '0x2000', 8)],
          ...capture,
        }),
      );
    };

    const deps = (): FakeDeps =>
      fakeDeps(
        {
          'kernloop-replay': fakeReplay((given) => {
            const folder = flag(given, '--dump') ?? '';
            const time = flag(given, '--dump-time') === 'pre' ? 'pre' : 'post';
            expect(given).not.toContain('--code-object');
            mkdirSync(folder, { recursive: true });
            const contents = memory[time].map((bytes, index) => {
              writeFileSync(join(folder, `r${index}.bin`), bytes);
              return { kind: 'region', name: `r${index}`, file: `r${index}.bin`, size: bytes.length };
            });
            writeFileSync(join(folder, 'dump.json'), JSON.stringify({ contents }));
            return [{ event: 'result', verdict: 'ran', wave_instructions: 10 }];
          }),
        },
        made.workspace.native,
      );

    const arraysIn = (file: Buffer): Record<string, number[]> => {
      const length = Number(file.readBigUInt64LE());
      const header = JSON.parse(file.subarray(8, 8 + length).toString()) as Record<
        string,
        { data_offsets: [number, number] }
      >;
      expect(length % 8).toBe(0);
      return Object.fromEntries(
        Object.entries(header).map(
          ([
            name,
            {
              data_offsets: [begin, end],
            },
          ]) => {
            const data = file.subarray(8 + length + begin, 8 + length + end);
            return [name, [...new Float32Array(Uint8Array.from(data).buffer)]];
          },
        ),
      );
    };

    it('is a definition and a workload of the arguments, with the arrays before and after', async () => {
      reproducer();
      const [definition = '', workload = '', blob = ''] = await exported('flashinfer-bench', deps());
      expect([definition, workload]).toEqual(['definitions/kernloop/saxpy.json', 'workloads/kernloop/saxpy.jsonl']);
      const defined = JSON.parse(read(definition)) as Record<string, object> & { reference: string };
      expect(defined).toMatchObject({
        ...{ name: 'saxpy', op_type: 'kernloop' },
        axes: { lambda__elements: { type: 'const', value: 2 }, y_elements: { type: 'const', value: 2 } },
        outputs: { y_out: { shape: ['y_elements'], dtype: 'float32' } },
      });
      // Their order is that of the parameters; a word of Python is no name there.
      expect(
        Object.entries(defined['inputs'] ?? {}).map(([name, spec]) => [name, (spec as { dtype: string }).dtype]),
      ).toEqual([
        ['a', 'float32'],
        ['lambda_', 'float32'],
        ['y', 'float32'],
        ['arg3', 'int32'],
      ]);
      expect(defined.reference).toContain('def run(a, lambda_, y, arg3):');
      expect(JSON.parse(read(workload))).toMatchObject({
        definition: 'saxpy',
        workload: {
          inputs: {
            a: { type: 'scalar', value: 2.5 },
            y: { type: 'safetensors', path: blob, tensor_key: 'y' },
            arg3: { type: 'scalar', value: -2 },
          },
        },
      });
      // A pointer into a region has the elements behind it.
      expect(arraysIn(readFileSync(join(output(), blob)))).toEqual({ lambda_: [1, 2], y: [3, 4], y_out: [5.5, 9] });
    });

    it('takes what was written for a result, whatever kernel.json says of it', async () => {
      reproducer({ args: args.map((one) => ({ ...one, role: 'in' })) });
      const [definition = ''] = await exported('flashinfer-bench', deps());
      expect(Object.keys((JSON.parse(read(definition)) as { outputs: object }).outputs)).toEqual(['y_out']);
    });

    it('warns of module variables, which are no inputs, and of a capture that nothing proves', async () => {
      const variable = { name: 'table', size: 256, pre: content, post: content };
      reproducer({}, { module_variables: [variable, { ...variable, name: 'threadIdx', size: 1 }] });
      const fake = deps();
      await exported('flashinfer-bench', fake);
      expect(fake.said.warn.join('\n')).toContain('no input of the task: module variable table');
      expect(fake.said.warn.join('\n')).toContain('it was changed after its self-check');
    });

    const changed = (index: number, change: object): object => ({
      args: args.map((one, at) => (at === index ? { ...one, ...change } : one)),
    });

    it.each([
      ['doubles', changed(1, { element: 'f64' }), {}, 'lambda_ points to f64'],
      ['pointers to no numbers', changed(1, { element: null }), {}, 'lambda_ points to elements of no known type'],
      ['a structure', changed(0, { type: 'Range' }), {}, 'a is a Range'],
      [
        'a null pointer',
        {},
        { kernarg: { slots: slots.map((one) => ({ ...one, region: undefined })) } },
        'points to no captured memory',
      ],
      [
        'memory behind a pointer in memory',
        {},
        { regions: [region('r0', '0x1000', 12), region('r1', '0x2000', 8), region('r2', '0x3000', 8)] },
        'it reaches memory (r2)',
      ],
      ['very much memory', {}, { regions: [region('r0', '0x1000', 2 ** 31)] }, 'its memory is larger than'],
      ['no results', { args: args.map((one) => ({ ...one, role: 'ignore' })) }, {}, 'it writes no array'],
    ])('is refused for %s', async (_what, kernel, capture, words) => {
      reproducer(kernel, capture);
      const error = await failure(exported('flashinfer-bench', deps()));
      expect([error.code, error.what]).toEqual(['EXPORT_UNSUPPORTED', expect.stringContaining(words)]);
      expect(existsSync(output())).toBe(false);
    });

    it('is added to a data set, and overwrites nothing', async () => {
      reproducer();
      made.workspace.write('task/definitions/kernloop/other.json', '{}');
      await exported('flashinfer-bench', deps());
      expect((await failure(exported('flashinfer-bench', deps()))).code).toBe('TARGET_EXISTS');
    });
  });
});
