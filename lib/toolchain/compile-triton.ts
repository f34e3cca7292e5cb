import { lstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { reproducerScript } from '../language/triton';
import { KernloopError } from '../support/error';
import { errorCodes, type ErrorCode } from '../support/error-codes';
import { throwIfInterrupted } from '../support/interrupted';
import { readRegularFile } from '../support/regular-file';
import { readJson } from '../support/schema';
import { requireBounded } from './bounded-files';
import type { CompileRequest } from './compile-request';
import type { UnprovenRecipe } from './recipe';
import type { CompileDeps } from './run-compiler';
import { variantLaunchSchema, type VariantLaunch } from './variant-launch';

/** JSON that the script writes beside a code object. */
export const candidateSchema = z.looseObject({
  schema: z.literal('kernloop.triton-candidate/1'),
  code_object: z.string(),
  code_object_sha256: z.string(),
  launch: z.looseObject({
    ...variantLaunchSchema.shape,
    num_ctas: z.int(),
    global_scratch_size: z.int(),
    profile_scratch_size: z.int(),
  }),
  sources: z.record(z.string(), z.string()),
  outside: z.array(z.string()),
  system: z.array(z.string()).describe('What says which Triton compiled it.'),
});

export type Candidate = z.output<typeof candidateSchema>;

export function launchOf({ launch: { grid, block, shared } }: Candidate): VariantLaunch {
  return { grid, block, shared };
}

const errorSchema = z.object({ event: z.literal('error'), code: z.string(), message: z.string(), hint: z.string() });

/** Compiles the kernel with the reproducer's script and a separate cache, because Triton's cache is the user's. */
export async function compileWithTriton(
  request: CompileRequest,
  output: string,
  deps: CompileDeps,
): Promise<{ opened: string[]; system: string[]; launch: VariantLaunch }> {
  const { compiler, recipe, reproducer, capture, limitSeconds } = request;
  const scratch = mkdtempSync(join(request.scratch ?? tmpdir(), 'kernloop-triton-'));
  try {
    const recipeFile = join(scratch, 'recipe.json');
    writeFileSync(recipeFile, JSON.stringify({ triton: recipe.triton }));
    const made = join(scratch, 'made.bin');
    const args = [
      ...[reproducerScript, '--compile-only', '--json', '--output', made, '--recipe', recipeFile],
      ...(capture === undefined ? [] : ['--capture', capture]),
    ];
    const env = { TRITON_CACHE_DIR: join(scratch, 'cache'), PYTHONDONTWRITEBYTECODE: '1', ...leftOut };
    const ended = await deps.run(compiler.path, args, {
      ...{ cwd: reproducer, env, timeoutMs: limitSeconds * 1000 },
      onStderr: (chunk) => deps.report.output(chunk),
    }).result;
    throwIfInterrupted(deps.signal);
    if (ended.exitCode !== 0) throw whyNot(ended, request);
    const told = join(scratch, 'made.json');
    // The script may have run Python of a stranger, whose links must not lead this process to other files.
    for (const file of [made, told]) refuseLink(file);
    requireBounded([made, told], 'the code object has');
    const candidate = readJson(told, candidateSchema, 'COMPILE_FAILED', 'compile again');
    refuseOtherNeeds(candidate, recipe);
    rmSync(output, { force: true, recursive: true });
    writeFileSync(output, readRegularFile(made), { flag: 'wx' });
    const { sources, outside, system } = candidate;
    return {
      opened: [...Object.keys(sources).map((name) => join(reproducer, name)), ...outside],
      system,
      launch: launchOf(candidate),
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new KernloopError(
    'COMPILE_FAILED',
    `${basename(path)} was made as a link`,
    'leave it to kernloop_reproducer.py to write what was compiled',
  );
}

/** Refuses candidates that need what the captured launch does not pass: more scratch memory, other clusters. */
function refuseOtherNeeds({ launch }: Candidate, { triton }: UnprovenRecipe): void {
  if (triton === undefined) return;
  const { captured } = triton;
  const why =
    launch.num_ctas !== captured.num_ctas
      ? `it has num_ctas ${launch.num_ctas}, and the captured launch has ${captured.num_ctas}`
      : (['global_scratch_size', 'profile_scratch_size'] as const)
          .filter((name) => launch[name] * programs(launch.grid) > captured[name] * programs(captured.grid))
          .map(
            (name) =>
              `it needs more scratch memory (${name} ${launch[name]} a program) than the captured launch passed`,
          )[0];
  if (why === undefined) return;
  throw new KernloopError(
    'LAUNCH_IMPOSSIBLE',
    `the candidate cannot be launched as the captured code: ${why}`,
    'give the parameter that is named other values with --set',
  );
}

const programs = (grid: readonly number[]): number => grid.reduce((product, extent) => product * extent, 1);

/** Unsets variables that would record compilations as an app's, or replace the code that Triton compiles. */
const leftOut = {
  KERNLOOP_TRITON_DIR: undefined,
  TRITON_KERNEL_OVERRIDE: undefined,
  TRITON_INTERPRET: undefined,
  TRITON_CACHE_MANAGER: undefined,
};

function whyNot(
  ended: {
    stdoutTail: string;
    stderrTail: string;
    timedOut: boolean;
    startError: string | null;
    exitCode: number | null;
  },
  { recipe, limitSeconds }: CompileRequest,
): KernloopError {
  const told = errorIn(ended.stdoutTail);
  if (told !== null) return told;
  const last = ended.stderrTail.trim().split('\n').at(-1);
  const reason = ended.timedOut
    ? `it ran longer than ${limitSeconds} s`
    : (ended.startError ?? (last || `Python ended with ${ended.exitCode ?? 'no exit code'}`));
  return new KernloopError(
    'COMPILE_FAILED',
    `${recipe.variant.file} did not compile: ${reason}`,
    `correct it; the captured source is in pristine/${recipe.variant.file}`,
  );
}

function errorIn(output: string): KernloopError | null {
  try {
    const { code, message, hint } = errorSchema.parse(JSON.parse(output.trim().split('\n').at(-1) ?? ''));
    return new KernloopError(isCode(code) ? code : 'COMPILE_FAILED', message, hint);
  } catch {
    return null;
  }
}

const isCode = (code: string): code is ErrorCode => code in errorCodes;
