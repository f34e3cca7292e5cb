import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { sha256, sha256OfFile, writeJson } from '../support/files';
import { readJson } from '../support/schema';
import { isSameMachineCode } from '../toolchain/compared-code';
import { describeCode, type Described } from '../toolchain/described-code';
import { readCapture } from '../archive/capture-files';
import { readCapturedCode } from '../archive/captured-code';
import { nvrtcFile, nvrtcProgramSchema, type NvrtcJson, type NvrtcProgram } from '../archive/nvrtc-json';

/** Larger outputs of NVRTC are ignored; the recorder writes none. */
const maxCodeBytes = 256 * 1024 * 1024;

/** A program that the app's processes recorded in the folder. */
class RecordedProgram {
  constructor(
    private readonly folder: string,
    private readonly stem: string,
  ) {}

  read(): NvrtcProgram {
    return readJson(join(this.folder, `${this.stem}.json`), nvrtcProgramSchema, 'FILE_UNREADABLE', 'capture again');
  }

  cubinDigest(): string | null {
    const path = this.output('cubin');
    return path === null ? null : sha256OfFile(path);
  }

  async cubin(deps: Deps): Promise<Described | null> {
    const path = this.output('cubin');
    return path === null ? null : describeCode(readFileSync(path), deps);
  }

  async defines(symbol: string, deps: Deps): Promise<boolean> {
    const cubin = await this.cubin(deps);
    if (cubin?.kernels.some((kernel) => kernel.symbol === symbol)) return true;
    const ptx = this.output('ptx');
    return ptx !== null && ptxEntries(readFileSync(ptx, 'utf8')).has(symbol);
  }

  private output(extension: string): string | null {
    const path = join(this.folder, `${this.stem}.${extension}`);
    return existsSync(path) && statSync(path).size <= maxCodeBytes ? path : null;
  }
}

/** Kernels of a PTX text: `.visible .entry _Z4tinyPf(`. */
function ptxEntries(ptx: string): Set<string> {
  return new Set([...ptx.matchAll(/^[^/\n]*\.entry\s+([\w$%]+)/gm)].map((match) => match[1] ?? ''));
}

/**
 * Copies the program of a captured kernel beside its capture. The cubin identifies the program, or the kernel's name if
 * the driver compiled its PTX; if several different programs match, none is kept.
 */
export async function keepNvrtcProgram(folder: string, captureFolder: string, deps: Deps): Promise<void> {
  const programs = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => new RecordedProgram(folder, name.slice(0, -'.json'.length)));
  if (programs.length === 0) return;
  try {
    const found = await programOf(programs, captureFolder, deps);
    if (found) writeJson(nvrtcFile(captureFolder), found);
  } catch (error) {
    if (!(error instanceof KernloopError)) throw error;
    deps.report.warn(`a program that the app compiled at run time cannot be read: ${error.what}`);
  }
}

async function programOf(
  programs: readonly RecordedProgram[],
  captureFolder: string,
  deps: Deps,
): Promise<NvrtcJson | null> {
  const { kernel } = readCapture(captureFolder);
  const loaded = programs.find((program) => program.cubinDigest() === kernel.code_object);
  if (loaded) return record(loaded.read(), 'code_object');
  const defining: RecordedProgram[] = [];
  for (const program of programs) if (await program.defines(kernel.symbol, deps)) defining.push(program);
  if (defining.length === 0) return null;
  const code = await readCapturedCode(captureFolder, deps);
  const captured = typeof code === 'string' ? null : await describeCode(code, deps);
  for (const program of captured === null ? [] : defining)
    if (isSameMachineCode(kernel.symbol, await program.cubin(deps), captured))
      return record(program.read(), 'machine_code');
  const different = new Map(
    defining.map((program) => {
      const made = record(program.read(), 'symbol');
      return [sha256(JSON.stringify(made)), made];
    }),
  );
  const [only] = different.values();
  if (different.size === 1 && only) return only;
  deps.report.warn(
    `${different.size} programs that the app compiled at run time (NVRTC) define ${kernel.name}, and none of their cubins is the captured code: ` +
      'which one it came from cannot be told, so there is no source of it',
  );
  return null;
}

function record(program: NvrtcProgram, matchedBy: NvrtcJson['matched_by']): NvrtcJson {
  const { version, name, source, headers, options, name_expressions: expressions } = program;
  return {
    ...{ schema: 'kernloop.nvrtc/1', matched_by: matchedBy, version, name, source, headers, options },
    name_expressions: expressions,
  };
}
