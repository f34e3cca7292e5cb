import type { Deps } from '../deps/deps';
import type { Environment } from '../support/environment';
import type { ProcessRunner } from '../support/exec';

/** Limits of everything that a program starts. */
interface SandboxLimits {
  /** Writable memory of each process, and resident memory of all together. */
  readonly memoryBytes?: number;
  /** Size of each written file. */
  readonly fileBytes?: number;
  /** Disk space of all that is in the folders of `write`. */
  readonly folderBytes?: number;
  /** Processes and threads at a time; default 512. */
  readonly processes?: number;
  /** CPU time of each process. */
  readonly cpuSeconds?: number;
}

/** The part of the machine that a program sees; everything else is refused. */
export interface Sandbox {
  /** Existing files and folders that it may read, and whose programs it may start. */
  readonly read: readonly string[];
  /** Existing folders that it may change. The first one is also its home, and gets its temporary files. */
  readonly write: readonly [string, ...string[]];
  /** Variables besides those that compilers take their installation from. */
  readonly env?: Environment;
  readonly limits?: SandboxLimits;
}

interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** Its whole environment; `undefined` is no variable. */
  readonly env: Environment;
}

/**
 * Variables of this process that compilers depend on: hipcc's answers, which are kept for all commands of a user
 * (toolchain/hipcc-answer.ts), must be the same in a sandbox. Others may hold secrets.
 */
const passed = /^(PATH|LD_LIBRARY_PATH|LANG|LC_\w+|SOURCE_DATE_EPOCH|(HIP|HCC|HSA|ROCM|ROCR|CUDA|NVCC|DEVICE_LIB)\w*)$/;

/** Command that runs another in a sandbox (native/sandbox). */
function sandboxed(program: string, command: Command, { read, write, limits = {} }: Sandbox): string[] {
  const { memoryBytes, fileBytes, folderBytes, processes, cpuSeconds } = limits;
  const numbers = { memoryBytes, fileBytes, folderBytes, processes, cpuSeconds };
  return [
    program,
    ...read.flatMap((path) => ['--read', path]),
    ...write.flatMap((path) => ['--write', path]),
    ...Object.entries(command.env).flatMap(([name, value]) =>
      value === undefined ? [] : ['--env', `${name}=${value}`],
    ),
    ...(Object.keys(numbers) as (keyof typeof numbers)[]).flatMap((name) => {
      const value = numbers[name];
      return value === undefined ? [] : [`--limit-${optionOf[name]}`, `${value}`];
    }),
    ...['--', command.file, ...command.args],
  ];
}

const optionOf: Readonly<Record<keyof SandboxLimits, string>> = {
  memoryBytes: 'memory-bytes',
  fileBytes: 'file-bytes',
  folderBytes: 'folder-bytes',
  processes: 'processes',
  cpuSeconds: 'cpu-seconds',
};

/**
 * The same dependencies, but each program runs in the sandbox: for `compileReproducer` and what it calls. Only
 * kernloop-archive, which describes what was compiled and is fuzzed for that, runs outside. Locks (deps/lock.ts) are
 * taken with the caller's own.
 */
export function inSandbox<D extends Pick<Deps, 'run' | 'env' | 'native'>>(deps: D, sandbox: Sandbox): D {
  const run: ProcessRunner = (file, args, options = {}) => {
    if (file === deps.native.archive) return deps.run(file, args, options);
    if (options.input !== undefined || options.holdStdin === true) throw new Error(`${file} has no stdin in a sandbox`);
    const [home] = sandbox.write;
    const env = { ...passedOf(deps.env), ...options.env, ...sandbox.env, HOME: home, TMPDIR: home };
    const [program = '', ...words] = sandboxed(deps.native.sandbox, { file, args, env }, sandbox);
    return deps.run(program, words, { ...options, env: {} });
  };
  return { ...deps, run };
}

const passedOf = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => passed.test(name)));
