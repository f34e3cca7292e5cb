import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { captureFile, type CaptureJson } from '../archive/capture-files';
import type { Deps } from '../deps/deps';
import { chooseDispatches } from '../replay/captured-dispatches';
import { replayOptionsSchema } from '../replay/options';
import { replayUnkept } from '../replay/replay';
import { capturedValues, scalarType } from '../reproducer/configured-launch';
import type { KernelJson } from '../reproducer/kernel-json';
import type { Reproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import { jsonText, sha256OfFile } from '../support/files';
import { silentReporter } from '../support/report';
import type { ExportTaskOptions } from './options';
import { safetensors, type Tensor } from './safetensors';

/** Element types of arrays: name there, name in a safetensors file, bytes. Unsigned ones go as the signed of their size. */
const dtypes: Readonly<Record<string, readonly [dtype: string, stored: string, bytes: number]>> = {
  f32: ['float32', 'F32', 4],
  f16: ['float16', 'F16', 2],
  bf16: ['bfloat16', 'BF16', 2],
  f8e4m3: ['float8_e4m3fn', 'F8_E4M3', 1],
  f8e5m2: ['float8_e5m2', 'F8_E5M2', 1],
  i64: ['int64', 'I64', 8],
  i32: ['int32', 'I32', 4],
  i16: ['int16', 'I16', 2],
  i8: ['int8', 'I8', 1],
  u64: ['int64', 'I64', 8],
  u32: ['int32', 'I32', 4],
  u16: ['int16', 'I16', 2],
  u8: ['int8', 'I8', 1],
  bool: ['bool', 'BOOL', 1],
};

/** Types of scalars, which are numbers of Python there. */
const scalarDtypes: Readonly<Record<string, string>> = {
  ...{ f32: 'float32', i8: 'int32', i16: 'int32', i32: 'int32', u8: 'int32', u16: 'int32' },
  ...{ u32: 'int64', i64: 'int64', u64: 'int64' },
};

type Argument = KernelJson['args'][number] & { name: string };

interface Scalar {
  readonly name: string;
  readonly dtype: string;
  readonly value: number;
}

interface ArrayArgument {
  readonly name: string;
  readonly argument: Argument;
  readonly region: string;
  readonly dtype: string;
  readonly before: Tensor;
  /** Null for an array that the kernel only reads. */
  readonly after: Tensor | null;
}

/** Folder of definitions and workloads that come from captures. */
const opType = 'kernloop';
const mostBytes = 1 << 30;

/**
 * Definition and workload of flashinfer-bench (flashinfer_bench/data there): the arguments of the captured dispatch as
 * flat arrays and scalars. Its reference gives the results that were recorded, and refuses other inputs, because a
 * capture has no program in Python.
 */
export async function flashinferBench(
  reproducer: Reproducer,
  { output, gpu, store }: ExportTaskOptions,
  deps: Deps,
): Promise<string[]> {
  const { config, root } = reproducer;
  const name = config.name;
  const files = {
    definition: `definitions/${opType}/${name}.json`,
    workload: `workloads/${opType}/${name}.jsonl`,
    blob: `blob/workloads/${opType}/${name}/${name}.safetensors`,
  };
  requireNone(output, Object.values(files));
  const [main] = chooseDispatches(reproducer, undefined, 'main').chosen;
  if (!main) throw new Error('the capture in capture/ is of its own kernel');
  if (main.capture.regions.reduce((sum, { size }) => sum + size, 0) > mostBytes)
    throw unsupported(`its memory is larger than ${mostBytes} bytes`);
  const named = namedArguments(config);
  const scalars = scalarsOf(named, main.capture);
  const memory = await memoryOf({ reproducer: root, gpu, store }, deps);
  const arrays = arraysOf(named, main.capture, memory);
  if (!arrays.some(({ after }) => after !== null))
    throw unsupported('it writes no array that one of its parameters names');
  const contents = {
    [files.definition]: jsonText(definitionOf(config, named, scalars, arrays, files.blob)),
    [files.workload]: `${JSON.stringify(workloadOf(name, uuidOf(captureFile(main.folder)), named, scalars, files.blob))}\n`,
    [files.blob]: safetensors(arrays.flatMap(({ before, after }) => (after === null ? [before] : [before, after]))),
  };
  for (const [path, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(output, path)), { recursive: true });
    writeFileSync(join(output, path), content, { flag: 'wx' });
  }
  warnOfVariables(main.capture, deps);
  return Object.values(files);
}

function requireNone(output: string, files: readonly string[]): void {
  const there = files.find((path) => existsSync(join(output, path)));
  if (there === undefined) return;
  throw new KernloopError('TARGET_EXISTS', `${join(output, there)} exists`, 'remove it, or name another --output');
}

const unsupported = (why: string): KernloopError =>
  new KernloopError(
    'EXPORT_UNSUPPORTED',
    `a definition of flashinfer-bench cannot have this kernel: ${why}`,
    'use `kernloop judge` with the reproducer as it is',
  );

/** Words that no parameter of a function in Python can have as its name. */
const reserved = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

/** Parameters under names that differ, and that Python takes. */
function namedArguments({ args }: KernelJson): Argument[] {
  const taken = new Set<string>();
  return args.map((argument) => {
    let name = argument.name ?? `arg${argument.index}`;
    while (reserved.has(name) || taken.has(name) || taken.has(`${name}_out`)) name += '_';
    taken.add(name).add(`${name}_out`);
    return { ...argument, name };
  });
}

const isPointer = ({ type, element }: Argument): boolean => element !== null || type.includes('*');

function scalarsOf(args: readonly Argument[], capture: CaptureJson): Scalar[] {
  const values = capturedValues(capture, args);
  return args
    .filter((argument) => !isPointer(argument))
    .map((argument) => {
      const value = values[argument.name];
      const dtype = scalarDtypes[scalarType(argument) ?? ''];
      if (typeof value !== 'number' || dtype === undefined)
        throw unsupported(`${argument.name} is a ${argument.type}, and scalars there are 32-bit floats and integers`);
      if (!Number.isFinite(value) || (dtype !== 'float32' && !Number.isSafeInteger(value)))
        throw unsupported(`${argument.name} is ${value}, which JSON does not hold`);
      return { name: argument.name, dtype, value };
    });
}

type Memory = Readonly<Record<'pre' | 'post', (region: string) => Buffer>>;

/** Memory before and after the captured code ran on it. */
async function memoryOf(
  options: { reproducer: string; gpu: string | undefined; store: string | undefined },
  deps: Deps,
): Promise<Memory> {
  const scratch = mkdtempSync(join(tmpdir(), 'kernloop-export-'));
  try {
    const read = async (dumpTime: 'pre' | 'post'): Promise<Map<string, Buffer>> => {
      const dump = join(scratch, dumpTime);
      const replaying = replayOptionsSchema.parse({ ...options, variant: 'none', dump, dumpTime });
      await replayUnkept(replaying, quiet(deps));
      const { contents } = JSON.parse(readFileSync(join(dump, 'dump.json'), 'utf8')) as {
        contents: { kind: string; name: string; file: string; size: number }[];
      };
      const regions = contents.filter(({ kind }) => kind === 'region');
      return new Map(regions.map(({ name, file }) => [name, readFileSync(join(dump, file))]));
    };
    const [pre, post] = [await read('pre'), await read('post')];
    const from = (memory: Map<string, Buffer>) => (region: string) => memory.get(region) ?? Buffer.alloc(0);
    return { pre: from(pre), post: from(post) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Without what a replay prints of itself, but with its warnings about the capture. */
const quiet = ({ run, clock, env, signal, input, native, report }: Deps): Deps => ({
  ...{ run, clock, env, signal, input, native },
  report: { ...silentReporter, warn: (line) => report.warn(line) },
});

/** A kernel may read them, and no code tells that it does. */
function warnOfVariables({ module_variables }: CaptureJson, { report }: Deps): void {
  // HIP has variables of one byte for threadIdx and the like.
  const names = module_variables.filter(({ size }) => size > 1).map(({ name }) => name);
  if (names.length === 0) return;
  report.warn(`no input of the task: module ${names.length === 1 ? 'variable' : 'variables'} ${names.join(', ')}`);
}

function arraysOf(
  args: readonly Argument[],
  { kernarg, regions }: CaptureJson,
  { pre, post }: Memory,
): ArrayArgument[] {
  const arrays = args.filter(isPointer).map((argument): ArrayArgument => {
    const { name, element, role } = argument;
    const slot = kernarg.slots.find(({ offset }) => offset === argument.offset);
    const region = regions.find(({ id }) => id === slot?.region);
    const type = dtypes[element ?? ''];
    if (!type) throw unsupported(`${name} points to ${element ?? 'elements of no known type'} (${argument.type})`);
    if (!region || typeof slot?.value !== 'string') throw unsupported(`${name} points to no captured memory`);
    const [dtype, stored, bytes] = type;
    const start = Number(BigInt(slot.value) - BigInt(region.base));
    const elements = Math.floor((region.size - start) / bytes);
    const tensor = (of: string, memory: (id: string) => Buffer): Tensor => ({
      ...{ name: of, dtype: stored, shape: [elements] },
      data: memory(region.id).subarray(start, start + elements * bytes),
    });
    const [before, after] = [tensor(name, pre), tensor(`${name}_out`, post)];
    const isResult = role === 'out' || role === 'inout' || (role === 'in' && !before.data.equals(after.data));
    return { name, argument, region: region.id, dtype, before, after: isResult ? after : null };
  });
  const named = new Set(arrays.map(({ region }) => region));
  const reached = regions.find(
    ({ id, pre: before, post: after }) => !named.has(id) && (before.chunks.length > 0 || after.chunks.length > 0),
  );
  if (reached) throw unsupported(`it reaches memory (${reached.id}) that none of its parameters points to`);
  return arrays;
}

const axisOf = ({ name }: ArrayArgument): string => `${name}_elements`;

function definitionOf(
  { name, demangled, app }: KernelJson,
  args: readonly Argument[],
  scalars: readonly Scalar[],
  arrays: readonly ArrayArgument[],
  blob: string,
): object {
  const results = arrays.filter(({ after }) => after !== null);
  const inputs = args.map(({ name: parameter, type }): [string, object] => {
    const scalar = scalars.find((one) => one.name === parameter);
    const array = arrays.find((one) => one.name === parameter);
    const description = `${type}${array ? `, from the pointer to the end of its memory, before the launch` : ''}`;
    return [parameter, { shape: array ? [axisOf(array)] : null, dtype: scalar?.dtype ?? array?.dtype, description }];
  });
  const outputs = results.map((array): [string, object] => [
    `${array.name}_out`,
    { shape: [axisOf(array)], dtype: array.dtype, description: `All of ${array.name} after the launch.` },
  ]);
  return {
    name,
    op_type: opType,
    description: `${demangled}, as ${app.name} launched it once. Results are the inputs with what the kernel wrote. The reference has the recorded results of this one workload: it judges no other inputs, and module variables are no inputs.`,
    tags: ['source:kernloop'],
    axes: Object.fromEntries(
      arrays.map((array) => [
        axisOf(array),
        { type: 'const', value: array.before.shape[0], description: `Elements of ${array.name}.` },
      ]),
    ),
    inputs: Object.fromEntries(inputs),
    outputs: Object.fromEntries(outputs),
    reference: referenceOf(args, scalars, arrays, blob),
  };
}

function referenceOf(
  args: readonly Argument[],
  scalars: readonly Scalar[],
  arrays: readonly ArrayArgument[],
  blob: string,
): string {
  const results = arrays.filter(({ after }) => after !== null).map(({ name }) => `${name}_out`);
  const dict = (items: readonly string[]): string => `{${items.join(', ')}}`;
  return `"""Results that a program computed from the inputs of its one captured launch; other inputs are refused."""

import torch
from flashinfer_bench.env import get_fib_dataset_path
from safetensors.torch import load_file

BLOB = ${JSON.stringify(blob)}
SCALARS = ${dict(scalars.map(({ name, value }) => `${JSON.stringify(name)}: ${value}`))}
RESULTS = ${JSON.stringify(results)}


def _requested(recorded, arrays, scalars):
    def is_same(one, other):
        return torch.equal(one.cpu().contiguous().view(torch.uint8), other.view(torch.uint8))

    return scalars == SCALARS and all(is_same(array, recorded[name]) for name, array in arrays.items())


def run(${args.map(({ name }) => name).join(', ')}):
    _arrays = ${dict(arrays.map(({ name }) => `${JSON.stringify(name)}: ${name}`))}
    _scalars = ${dict(scalars.map(({ name }) => `${JSON.stringify(name)}: ${name}`))}
    _recorded = load_file(get_fib_dataset_path() / BLOB)
    if not _requested(_recorded, _arrays, _scalars):
        raise ValueError("no results are known for these inputs: only those of the captured launch")
    _device = next(iter(_arrays.values())).device
    return tuple(_recorded[_name].to(_device) for _name in RESULTS)
`;
}

function workloadOf(
  definition: string,
  uuid: string,
  args: readonly Argument[],
  scalars: readonly Scalar[],
  path: string,
): object {
  const inputs = args.map(({ name }): [string, object] => {
    const scalar = scalars.find((one) => one.name === name);
    return [name, scalar ? { type: 'scalar', value: scalar.value } : { type: 'safetensors', path, tensor_key: name }];
  });
  return {
    definition,
    workload: { axes: {}, inputs: Object.fromEntries(inputs), uuid },
    solution: null,
    evaluation: null,
  };
}

/** The same for the same capture. */
function uuidOf(capture: string): string {
  const digest = sha256OfFile(capture);
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => digest.slice(from, to))
    .join('-');
}
