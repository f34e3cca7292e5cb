import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { sitePackages } from '../device/cupti';
import { KernloopError } from '../support/error';
import { throwIfInterrupted } from '../support/interrupted';
import { pathFolders, programsIn } from '../support/programs';
import { cudaFolders } from './find-compiler';
import { pythonCandidates } from './find-triton';
import type { CompileDeps } from './run-compiler';

/**
 * Lists PTX assemblers without starting any: the CUDA toolkit's, and Triton's if `python` has it. An older one rejects
 * the PTX of a newer compiler.
 */
function ptxasCandidates(env: CompileDeps['env'], python: string | null): string[] {
  const nvcc = env['KERNLOOP_COMPILER'];
  const folders = [...(nvcc ? [dirname(nvcc)] : []), ...pathFolders(env['PATH']), ...cudaFolders(env)];
  const ofTriton = pythonCandidates(env, python)
    .flatMap((program) => sitePackages(program, env))
    .map((site) => join(site, 'triton', 'backends', 'nvidia', 'bin'));
  return [
    ...programsIn(folders.filter(isAbsolute), 'ptxas'),
    ...programsIn(ofTriton, 'ptxas'),
    ...programsIn(ofTriton, 'ptxas-blackwell'),
  ];
}

export interface Assembled {
  readonly cubin: Buffer;
  readonly ptxas: string;
  /** Output of ptxas, including registers and spills. */
  readonly log: string;
}

/** Assembles PTX with the first assembler that supports its version and the target. */
export async function assemblePtx(
  ptx: string,
  { target, python, limitSeconds }: { target: string; python: string | null; limitSeconds: number },
  deps: CompileDeps,
): Promise<Assembled> {
  const candidates = ptxasCandidates(deps.env, python);
  if (candidates.length === 0)
    throw new KernloopError(
      'ENVIRONMENT_TOOL_MISSING',
      'ptxas, the assembler of PTX, is not installed',
      'install the CUDA toolkit, set CUDA_HOME, or have a Python with Triton (KERNLOOP_PYTHON), which brings one',
    );
  const scratch = mkdtempSync(join(tmpdir(), 'kernloop-ptx-'));
  try {
    const [input, output] = [join(scratch, 'kernel.ptx'), join(scratch, 'kernel.cubin')];
    writeFileSync(input, ptx);
    let refusal = '';
    for (const ptxas of candidates) {
      const args = [`--gpu-name=${target}`, '-v', '-o', output, input];
      const ended = await deps.run(ptxas, args, { cwd: scratch, timeoutMs: limitSeconds * 1000 }).result;
      throwIfInterrupted(deps.signal);
      const log = `${ended.stdoutTail}${ended.stderrTail}`;
      if (ended.exitCode === 0) return { cubin: readFileSync(output), ptxas, log };
      refusal = ended.timedOut
        ? `${ptxas} ran longer than ${limitSeconds} s`
        : (log.split('\n').find((line) => /\b(error|fatal)\b/.test(line)) ??
          ended.startError ??
          `it ended with ${ended.exitCode ?? 'no exit code'}`);
      if (!/Unsupported \.version|is not defined for option 'gpu-name'|not supported on \.target/.test(log)) break;
    }
    throw new KernloopError(
      'COMPILE_FAILED',
      `ptxas does not take the PTX: ${refusal.trim()}${quotedLine(ptx, refusal)}`,
      'correct the bodies of the probes',
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Quotes the line of PTX that ptxas names. */
export function quotedLine(ptx: string, message: string): string {
  const number = Number(/\bline (\d+)/.exec(message)?.[1] ?? 0);
  const line = ptx.split('\n')[number - 1]?.trim();
  return line ? `: \`${line.slice(0, 200)}\`` : '';
}
