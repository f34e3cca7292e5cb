import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readCapture, type CaptureJson } from '../archive/capture-files';
import {
  tritonAutotuneSchema,
  tritonCompileSchema,
  tritonFile,
  tritonLaunchSchema,
  tritonNoteSchema,
  type TritonCompilation,
  type TritonJson,
  type TritonLaunch,
  type TritonValue,
} from '../archive/triton-json';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { writeJson } from '../support/files';
import { readJson } from '../support/schema';

/** Writes Triton's record of a captured kernel beside its capture; nothing if no process used Triton. */
export function keepTritonProgram(records: TritonRecords, captureFolder: string, deps: Pick<Deps, 'report'>): void {
  if (records.areNone) return;
  try {
    const made = programOf(records, readCapture(captureFolder), processOf(captureFolder));
    if (made === null) return;
    writeJson(tritonFile(captureFolder), made);
  } catch (error) {
    if (!(error instanceof KernloopError)) throw error;
    deps.report.warn(`what Triton compiled in the app cannot be read: ${error.what}`);
  }
}

const observedSchema = z.looseObject({ process: z.looseObject({ pid: z.int() }).optional() });

/** Process whose launch was captured; null if unknown. */
function processOf(captureFolder: string): number | null {
  const path = join(captureFolder, 'observed.json');
  if (!existsSync(path)) return null;
  return readJson(path, observedSchema, 'CAPTURE_INVALID', 'capture again').process?.pid ?? null;
}

/** Records that the app's processes wrote. One instance serves all captures of a run and reads each file once. */
export class TritonRecords {
  private found: string[] | undefined;
  private readonly read = new Map<string, unknown[]>();

  constructor(private readonly folder: string) {}

  get areNone(): boolean {
    return this.names().length === 0;
  }

  private names(): string[] {
    return (this.found ??= readdirSync(this.folder).sort());
  }

  /** `kind` names the schema. */
  all<T>(kind: string, schema: z.ZodType<T>): T[] {
    const known = this.read.get(kind) as T[] | undefined;
    if (known !== undefined) return known;
    const all = this.names()
      .filter((name) => name.startsWith(`${kind}-`) && name.endsWith('.json'))
      .map((name) => readJson(join(this.folder, name), schema, 'FILE_UNREADABLE', 'capture again'));
    this.read.set(kind, all);
    return all;
  }

  source(digest: string): string {
    return readFileSync(join(this.folder, `source-${digest}.txt`), 'utf8');
  }
}

function programOf(records: TritonRecords, capture: CaptureJson, pid: number | null): TritonJson | null {
  const compilations = records.all('compile', tritonCompileSchema);
  const found = compilations.find(({ code_object: { sha256 } }) => sha256 === capture.kernel.code_object);
  const none: TritonJson = {
    ...{ schema: 'kernloop.triton/1', compilation: null, sources: {}, launch: null, winners: [] },
    problem: null,
  };
  if (found === undefined) {
    const problem = problemOf(records, compilations, capture);
    return problem === null ? null : { ...none, problem };
  }
  const { schema: _schema, process: _process, ...compilation } = found;
  const launches = records
    .all('launch', tritonLaunchSchema)
    .filter((each) => each.code_object === capture.kernel.code_object && isThatOf(each, compilation, capture));
  // Several processes may use the same GPU addresses, so the captured process's launch is preferred.
  const launch = launches.find((each) => each.process === pid) ?? launches[0];
  const autotuned = records.all('autotune', tritonAutotuneSchema).filter(({ name }) => name === capture.kernel.symbol);
  return {
    ...none,
    compilation,
    sources: Object.fromEntries(digestsOf(compilation).map((digest) => [digest, records.source(digest)])),
    launch: launch === undefined ? null : withoutOrigin(launch),
    winners: autotuned.flatMap(({ winners }) => winners),
    configurations: withoutTwins(autotuned.flatMap(({ configurations }) => configurations)),
    tunings: autotuned.flatMap(({ tuning }) => tuning ?? []),
  };
}

/** Removes duplicates: each process of an app has the same autotuner. */
function withoutTwins<T>(all: readonly T[]): T[] {
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

function withoutOrigin({
  schema: _schema,
  process: _process,
  code_object: _code,
  ...launch
}: TritonLaunch): TritonJson['launch'] {
  return launch;
}

function digestsOf({ source }: TritonCompilation): string[] {
  return [...new Set((source?.files ?? []).flatMap(({ text }) => text ?? []))];
}

/** Reason why the captured code was not recorded; null if Triton was not involved, as far as known. */
function problemOf(
  records: TritonRecords,
  compilations: readonly { name: string }[],
  { kernel }: CaptureJson,
): string | null {
  const notes = records.all('note', tritonNoteSchema);
  const unknown = notes.find(({ unknown_version: version }) => version !== undefined);
  if (unknown !== undefined) {
    return `the app uses Triton ${unknown.unknown_version ?? ''}, which this version of Kernloop does not know: it reads what is compiled by ${(unknown.known ?? []).join(', ')}`;
  }
  const failed = notes.find((note) => note.kernel === kernel.symbol && note.failed !== undefined);
  if (failed?.failed !== undefined) return `its compilation could not be recorded: ${failed.failed}`;
  return compilations.some(({ name }) => name === kernel.symbol)
    ? 'Triton compiled kernels of this name in the app, but none to the captured code'
    : null;
}

/**
 * Whether the launch passed the captured addresses and grid: several views of the same memory are one launch to the
 * kernel. The kernarg segment contains the arguments of the non-constant parameters in order.
 */
function isThatOf(
  { grid, arguments: given }: TritonLaunch,
  compilation: TritonCompilation,
  capture: CaptureJson,
): boolean {
  if (grid.some((extent, axis) => extent !== capture.geometry.grid_blocks[axis])) return false;
  const passed = (compilation.parameters ?? []).filter(({ type }) => type !== 'constexpr');
  const slots = [...capture.kernarg.slots].sort((a, b) => a.offset - b.offset);
  return passed.every(({ name, type }, index) => {
    const argument = given.find((each) => each.name === name);
    const slot = slots[index];
    if (argument === undefined || slot?.value == null) return true;
    const passedBits = BigInt(slot.value);
    if (argument.tensor !== undefined) return passedBits === BigInt(argument.tensor.pointer);
    const bits = bitsOf(type, argument.value);
    return bits === null || bits === passedBits;
  });
}

/** Bits as in the kernarg segment; null for types that are not compared. */
function bitsOf(type: string, value: TritonValue | undefined): bigint | null {
  if (value === undefined || !('python' in value)) return null;
  const [, width] = /^[iu](\d+)$/.exec(type) ?? [];
  if (width !== undefined && /^-?\d+$/.test(value.python)) return BigInt.asUintN(Number(width), BigInt(value.python));
  const number = Number(value.python);
  if (Number.isNaN(number)) return null;
  const view = new DataView(new ArrayBuffer(8));
  if (type === 'fp32') {
    view.setFloat32(4, number);
    return view.getBigUint64(0);
  }
  if (type !== 'fp64') return null;
  view.setFloat64(0, number);
  return view.getBigUint64(0);
}
