import { existsSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isSettled, stateOf } from '../support/file-state';
import { readRegularFile } from '../support/regular-file';
import { askDriver } from './ask-driver';
import { requireBounded } from './bounded-files';
import type { CompileRequest, RunStep, StepsOfDriver } from './compile-request';
import { compilerEnvironment } from './compiler-environment';
import type { CompileDeps } from './run-compiler';

interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

/** Programs that the driver runs to compile for the device: clang's front end, which writes `object`, and lld. */
interface Steps {
  readonly clang: Command;
  readonly link: Command;
  readonly object: string;
}

interface Known {
  readonly steps: Steps | null;
  /** State of all that the driver may have looked at. */
  readonly seen: string;
}

const mostKnown = 256;

/**
 * Answers of clang's driver, which takes a sixth of the time of a small kernel. An answer holds for the very same
 * arguments, folder and environment, as long as the programs and folders that it names are as they were.
 */
export class KnownSteps {
  private readonly known = new Map<string, Known>();

  /** `stateOfSeen`: state of paths; null if one has just changed, and may change once more at the same time. */
  constructor(private readonly stateOfSeen = stateOfSettled) {}

  /** Null if the driver works in other steps. */
  async of(request: CompileRequest, args: readonly string[], deps: CompileDeps): Promise<Steps | null> {
    const { compiler, recipe, reproducer } = request;
    const key = JSON.stringify([compiler.path, reproducer, args, compilerEnvironment(recipe.environment)]);
    const before = this.known.get(key);
    if (before && before.seen === this.stateOfSeen(pathsSeen(before.steps, request))) return before.steps;
    const steps = stepsIn((await askDriver(request, args, deps)) ?? []);
    const seen = this.stateOfSeen(pathsSeen(steps, request));
    if (this.known.size >= mostKnown) this.known.clear();
    if (seen !== null) this.known.set(key, { steps, seen });
    return steps;
  }
}

/** Compiles one candidate by the steps of the driver, and its front end once more with other words. */
export class DriverSteps implements StepsOfDriver {
  private compiled: { readonly clang: Command; readonly object: Buffer } | undefined;

  isUsed = false;

  constructor(private readonly known: KnownSteps) {}

  async compile(request: CompileRequest, args: readonly string[], deps: CompileDeps, run: RunStep): Promise<boolean> {
    this.compiled = undefined;
    const steps = await this.known.of(request, args, deps);
    this.isUsed = steps !== null;
    if (steps === null) return false;
    const object = `${valueOf(steps.link.args, '-o') ?? request.output}.o`;
    const ofObject = ({ program, args }: Command): Command => ({
      program,
      args: args.map((word) => (word === steps.object ? object : word)),
    });
    const [clang, link] = [ofObject(steps.clang), ofObject(steps.link)];
    const beganMs = performance.now();
    try {
      await run(clang.program, clang.args, request.limitSeconds);
      const spent = (performance.now() - beganMs) / 1000;
      await run(link.program, link.args, Math.max(0.001, request.limitSeconds - spent));
      requireBounded([object], 'the object has');
      this.compiled = { clang, object: readRegularFile(object) };
    } finally {
      rmSync(object, { force: true });
    }
    return true;
  }

  async isSameObject(words: readonly string[], request: CompileRequest, run: RunStep): Promise<boolean> {
    if (this.compiled === undefined) return false;
    const { clang, object } = this.compiled;
    const output = `${request.output}.elsewhere.o`;
    // The last three words are the language and the source.
    const args = withValue([...clang.args.slice(0, -3), ...words, ...clang.args.slice(-3)], '-o', output);
    try {
      await run(clang.program, args, request.limitSeconds);
      requireBounded([output], 'the object has');
      return readRegularFile(output).equals(object);
    } finally {
      rmSync(output, { force: true });
    }
  }
}

/** Null for any other sequence than a front end and a linker of one object. */
function stepsIn(commands: readonly (readonly string[])[]): Steps | null {
  const [clang, link] = commands.map(([program = '', ...args]): Command => ({ program, args }));
  const object = clang && valueOf(clang.args, '-o');
  if (commands.length !== 2 || clang === undefined || link === undefined || object === undefined) return null;
  const isKnown =
    clang.args[0] === '-cc1' &&
    count(clang.args, '-emit-obj') === 1 &&
    count(clang.args, '-o') === 1 &&
    clang.args.at(-3) === '-x' &&
    /^(ld\.)?lld(-\d+)?$/.test(basename(link.program)) &&
    // The folder of the object is made by the driver.
    [clang, link].every(({ args }) => args.filter((word) => word.includes(dirname(object))).join() === object);
  return isKnown ? { clang, link, object } : null;
}

/** Programs and folders that commands name, with all folders above: a driver looks for installations in them. */
function pathsSeen(steps: Steps | null, { compiler, reproducer, preamble }: CompileRequest): string[] {
  const commands = steps === null ? [] : [steps.clang, steps.link];
  const words = [compiler.path, ...commands.flatMap(({ program, args }) => [program, ...args])];
  const isOwn = (path: string): boolean =>
    path === preamble?.file || path === steps?.object || path.startsWith(`${reproducer}/`) || path === reproducer;
  const named = words.filter((word) => word.startsWith('/') && !isOwn(word));
  const above = named.flatMap((path) => Array.from(path.matchAll(/(?!^)\//g), ({ index }) => path.slice(0, index)));
  const programs = [compiler.path, ...commands.map(({ program }) => program)]
    .filter(existsSync)
    .map((path) => realpathSync(path));
  return [...new Set([...named, ...above, ...programs, ...installations])].filter(existsSync);
}

/** Folders in which a driver finds an installation that its answer may not name yet. */
const installations = ['/opt', '/opt/rocm', '/usr/local', '/usr/lib', '/usr/lib/gcc'];

const stateOfSettled = (paths: readonly string[]): string | null =>
  paths.every(isSettled) ? paths.map((path) => `${path} ${stateOf(path)}`).join('\n') : null;

const count = (words: readonly string[], word: string): number => words.filter((one) => one === word).length;

function valueOf(args: readonly string[], option: string): string | undefined {
  const at = args.indexOf(option);
  return at < 0 ? undefined : args[at + 1];
}

const withValue = (args: readonly string[], option: string, value: string): string[] =>
  args.map((word, index) => (args[index - 1] === option ? value : word));
