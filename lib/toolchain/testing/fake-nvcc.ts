import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Call, FakeProgram } from '../../testing/fake-deps';

/** Two linked units, compiled by nvcc itself (two-units.sh). */
export const twoUnitsCubin = join(__dirname, 'two-units.sm_90.cubin');

export interface NvccStep {
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Input of the step: the source with its includes, or PTX. */
  input: string;
}

/**
 * Simulates nvcc as far as Kernloop depends on it: `-ptx` follows quoted includes and writes PTX whose names contain a
 * module id of the path; `-cubin` and `-dlink` write a real cubin. It refuses what nvcc would refuse.
 */
export class FakeNvcc {
  readonly steps: NvccStep[] = [];
  /** Output of a failing step, by its output option. */
  failures: Partial<Record<'-ptx' | '-cubin' | '-dlink', string>> = {};
  ptx = '.visible .entry _Z5alonePfi()\n{\n}\n';

  readonly program: FakeProgram = (call) => {
    const { args, options } = call;
    if (args.includes('--version')) return { stdoutTail: 'Cuda compilation tools, release 13.0, V13.0.88\n' };
    if (args.includes('--dryrun'))
      return { stderrTail: '#$ gcc -D__CUDA_ARCH__=750 -D__CUDA_ARCH_LIST__=750 -E -x c++\n' };
    const cwd = options.cwd ?? '';
    const input = args.at(-1) ?? '';
    const read = new Map<string, string>();
    follow(resolve(cwd, input), input, read);
    this.steps.push({ args, cwd, env: options.env ?? {}, input: [...read.values()].join('\n') });
    if (args.includes('-E')) return writeDependencies(call, cwd, [...read.keys()]);
    const kind = (['-ptx', '-dlink', '-cubin'] as const).find((option) => args.includes(option)) ?? '-cubin';
    const failure = this.failures[kind];
    if (failure !== undefined) {
      options.onStderr?.(failure);
      return { exitCode: 2, stderrTail: failure };
    }
    const output = resolve(cwd, valueOf(args, '-o'));
    if (kind === '-ptx') {
      writeFileSync(output, this.ptx);
      return writeDependencies(call, cwd, [...read.keys()]);
    }
    writeFileSync(output, readFileSync(twoUnitsCubin));
    return 0;
  };
}

function writeDependencies({ args }: Call, cwd: string, files: readonly string[]): number {
  const option = args.find((arg) => arg.startsWith('-Xcompiler=-MD,-MF,'));
  const path = option?.split(',')[2]?.replaceAll('"', '');
  if (path !== undefined)
    writeFileSync(resolve(cwd, path), `unit: ${files.map((file) => file.replaceAll(' ', '\\ ')).join(' ')}\n`);
  return 0;
}

/** Quoted includes are searched beside the including file, by the path through which it was reached. */
function follow(path: string, spelled: string, read: Map<string, string>): void {
  if (!existsSync(path) || read.has(spelled)) return;
  const text = readFileSync(path, 'utf8');
  read.set(spelled, text);
  for (const [, included = ''] of text.matchAll(/^#include "([^"]+)"/gm)) {
    const beside = `${spelled.slice(0, spelled.lastIndexOf('/') + 1)}${included}`;
    follow(`${path.slice(0, path.lastIndexOf('/') + 1)}${included}`, beside, read);
  }
}

function valueOf(args: readonly string[], option: string): string {
  return args[args.indexOf(option) + 1] ?? '';
}
