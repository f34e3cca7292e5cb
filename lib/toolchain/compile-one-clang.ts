import { existsSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { KernloopError } from '../support/error';
import { isExecutable } from '../support/programs';
import { askDriver } from './ask-driver';
import { openedFiles, runClang, throughOverlay } from './compile-clang';
import type { CompileRequest } from './compile-request';
import { decisionByCallers } from './inlining-remarks';
import { extractor } from './find-compiler';
import type { CompileDeps } from './run-compiler';
import { sharedVariable } from './shared-variable';

/** Size limit of compiler reports that are read. */
const maxTextBytes = 256 * 2 ** 20;

/** The kernel cannot be compiled alone, or might then differ from the kernel of the whole unit. */
class NotAlone extends Error {}

/**
 * Compiles only the captured kernel of a HIP unit. As with clang's own -save-temps, the front end writes unoptimised
 * bitcode and a second compilation with the same options optimises it; in between, everything that the kernel does not
 * use is removed. Variables stay at least as visible as they were: other kernels and the app write them, and the
 * optimiser must keep assuming that (`opt -passes=internalize,globaldce` would fold them). Returns the reason if this
 * is impossible; errors of the front end are the user's and are thrown.
 */
export async function compileOneWithClang(
  request: CompileRequest,
  output: string,
  deps: CompileDeps,
): Promise<{ opened: string[] } | { whole: string }> {
  const steps = new Steps(request, output, deps);
  try {
    return { opened: await throughOverlay(request, output, (args) => steps.run(args)) };
  } catch (error) {
    if (!(error instanceof NotAlone)) throw error;
    return { whole: error.message };
  } finally {
    steps.removeFiles();
  }
}

class Steps {
  private readonly bitcode: string;
  private readonly alone: string;
  private readonly object: string;
  private readonly remarks: string;

  constructor(
    private readonly request: CompileRequest,
    private readonly output: string,
    private readonly deps: CompileDeps,
  ) {
    this.bitcode = `${output}.all.bc`;
    this.alone = `${output}.one.ll`;
    this.object = `${output}.one.o`;
    this.remarks = `${output}.inlining.yaml`;
  }

  removeFiles(): void {
    for (const path of [this.bitcode, this.alone, this.object, this.remarks]) rmSync(path, { force: true });
  }

  /** Returns the files that the front end opened. */
  async run(driverArguments: readonly string[]): Promise<string[]> {
    const commands = await askDriver(this.request, driverArguments, this.deps);
    if (commands === null) throw new NotAlone(`${basename(this.request.compiler.path)} does not say how it compiles`);
    const { clang, link } = compileAndLink(commands);
    const extract = join(dirname(realpathSync(clang.program)), extractor);
    if (!isExecutable(extract)) throw new NotAlone(`${extract} is not installed (Debian: it is in the package llvm-N)`);
    const opened = await this.frontEnd(clang);
    await this.extract(extract);
    const shared = sharedVariable(textOf(this.alone));
    if (shared !== null) throw new NotAlone(`it uses ${shared}, which other kernels of the unit may write`);
    await this.quietly(clang.program, backEnd(clang.args, this.alone, this.object, this.remarks));
    const callee = decisionByCallers(textOf(this.remarks));
    if (callee !== null) throw new NotAlone(`whether ${callee} is inlined depends on what else calls it`);
    await this.quietly(link.program, renamed(link.args, link.input, this.object));
    return opened;
  }

  /** The result is the same for each kernel of the unit, so it can be shared. */
  private frontEnd({ program, args }: Command): Promise<string[]> {
    const { request, output, bitcode, deps } = this;
    const run = async (): Promise<string[]> => {
      await runClang(request, program, frontEnd(args, bitcode), deps);
      return openedFiles(request, output);
    };
    return request.units === undefined ? run() : request.units.compile(request, bitcode, run, 'front end');
  }

  private async extract(program: string): Promise<void> {
    const wanted = [`--func=${this.request.recipe.symbol}`, '--recursive', '-S', this.bitcode, '-o', this.alone];
    try {
      await this.quietly(program, ['--rglob=.*', ...wanted]);
    } catch (error) {
      // llvm-extract reports an expression without matches as an error.
      if (!(error instanceof NotAlone) || !error.message.includes("doesn't contain global")) throw error;
      await this.quietly(program, wanted);
    }
  }

  /** Hides messages, because compiling the whole unit repeats them with source locations. */
  private async quietly(program: string, args: readonly string[]): Promise<void> {
    const said: string[] = [];
    const report = { ...this.deps.report, output: (chunk: string) => void said.push(chunk) };
    try {
      await runClang(this.request, program, args, { ...this.deps, report });
    } catch (error) {
      if (!(error instanceof KernloopError) || error.code === 'INTERRUPTED') throw error;
      const [first = error.what] = said.join('').split('\n').filter(Boolean);
      throw new NotAlone(`${basename(program)} cannot: ${first}`);
    }
    for (const chunk of said) this.deps.report.output(chunk);
  }
}

interface Command {
  program: string;
  args: readonly string[];
}

/** The two commands of a device compilation; refuses any other sequence. */
function compileAndLink(commands: readonly string[][]): { clang: Command; link: Command & { input: string } } {
  const [clang, link] = commands.map(([program = '', ...args]): Command => ({ program, args }));
  const object = clang && valueOf(clang.args, '-o');
  const isKnown =
    commands.length === 2 &&
    clang?.args[0] === '-cc1' &&
    clang.args.filter((word) => word === '-emit-obj').length === 1 &&
    !clang.args.includes('-opt-record-file') &&
    clang.args.at(-3) === '-x' &&
    clang.args.at(-2) === 'hip' &&
    link !== undefined &&
    /^(ld\.)?lld(-\d+)?$/.test(basename(link.program)) &&
    link.args.filter((word) => word === object).length === 1;
  if (!isKnown || object === undefined) throw new NotAlone('the compiler works in other steps than clang 15 to 22 do');
  // From bitcode, clang fuses only what the front end marked; from source with this option, everything (its test
  // CodeGenCUDA/fp-contract.cu).
  if (clang.args.includes('-ffp-contract=fast'))
    throw new NotAlone('-ffp-contract=fast (also of -ffast-math) fuses more in a whole unit');
  return { clang, link: { ...link, input: object } };
}

function frontEnd(args: readonly string[], bitcode: string): string[] {
  const [cc1 = '', ...rest] = args.map((word) => (word === '-emit-obj' ? '-emit-llvm-bc' : word));
  return [cc1, '-disable-llvm-passes', ...withValue(rest, '-o', bitcode)];
}

/** Options that only the front end uses: for reading files, reporting them, and linking the device library. */
const ofFrontEnd = ['-mlink-builtin-bitcode', '-dependency-file', '-MT', '-include', '-include-pch', '-ivfsoverlay'];

function backEnd(args: readonly string[], input: string, object: string, remarks: string): string[] {
  const [cc1 = '', ...rest] = args.slice(0, -3);
  const kept = rest.filter((word, index) => !ofFrontEnd.includes(word) && !ofFrontEnd.includes(rest[index - 1] ?? ''));
  const record = ['-opt-record-file', remarks, '-opt-record-passes', 'inline'];
  return [cc1, ...record, ...withValue(kept, '-o', object), '-x', 'ir', input];
}

function withValue(args: readonly string[], option: string, value: string): string[] {
  return args.map((word, index) => (args[index - 1] === option ? value : word));
}

function valueOf(args: readonly string[], option: string): string | undefined {
  const at = args.indexOf(option);
  return at < 0 ? undefined : args[at + 1];
}

const renamed = (args: readonly string[], word: string, other: string): string[] =>
  args.map((arg) => (arg === word ? other : arg));

function textOf(path: string): string {
  if (!existsSync(path)) throw new NotAlone(`the compiler did not write ${basename(path)}`);
  if (statSync(path).size > maxTextBytes) throw new NotAlone(`${basename(path)} has more than ${maxTextBytes} bytes`);
  return readFileSync(path, 'utf8');
}
