import { KernloopError } from '../support/error';
import type { CompileArgument } from './compile-arguments';

/** Architectures of an nvcc compilation: the one the source sees (`compute_90`), the machine code's (`sm_90`). */
export interface CudaTarget {
  real: string;
  virtual: string;
  /** Reason why they differ from the build's; null if they do not. */
  note: string | null;
}

interface Generated {
  virtual: string;
  /** Outputs: `sm_…` is machine code, `compute_…` PTX for the driver to compile. */
  codes: string[];
}

/** Pair with which the app's command gives the captured code, directly or as PTX for the driver. */
export function cudaTarget(real: string, args: readonly CompileArgument[]): CudaTarget {
  if (!/^sm_\d{2,3}[af]?$/.test(real)) {
    throw new KernloopError(
      'CAPTURE_INVALID',
      `"${real}" is no NVIDIA target`,
      'validate a code object of your own with --variant: nvcc recompiles sm_XX code alone',
    );
  }
  const generated = generatedCode(real, args);
  // Code of a family, sm_100f, reports sm_100.
  for (const named of [real, `${real}f`]) {
    const exact = generated.find(({ codes }) => codes.includes(named));
    if (exact) return { real: named, virtual: exact.virtual, note: null };
  }
  const compiledByDriver = generated
    .filter(({ codes }) => codes.some((code) => code.startsWith('compute_')))
    .map(({ virtual }) => virtual)
    // PTX of compute_90a runs only on sm_90a.
    .filter((virtual) => virtual === asVirtual(real) || (/_\d+$/.test(virtual) && number(virtual) <= number(real)))
    .sort((a, b) => number(b) - number(a));
  const [ptx] = compiledByDriver;
  if (ptx !== undefined) {
    return {
      real,
      virtual: ptx,
      note: `the build has PTX for ${ptx} only, which the driver compiled for ${real}: its code may differ`,
    };
  }
  const note = `the build names no code for ${real}: compiled for it as nvcc would by itself`;
  return { real, virtual: asVirtual(real), note };
}

function asVirtual(architecture: string): string {
  return architecture.replace('sm_', 'compute_');
}

/** Number of an architecture: `sm_90a` is 90. */
function number(architecture: string): number {
  return Number(/_(\d+)/.exec(architecture)?.[1] ?? NaN);
}

function generatedCode(real: string, args: readonly CompileArgument[]): Generated[] {
  const valuesOf = (option: string): string[] =>
    args.filter((argument) => argument.option === option).map(({ value }) => value ?? '');
  const pairs = valuesOf('-gencode=').map(readPair);
  const arch = valuesOf('-arch=').at(-1);
  if (arch === 'native' || arch?.startsWith('all')) return [...pairs, { virtual: asVirtual(real), codes: [real] }];
  if (arch === undefined || !/^(sm|compute|lto)_/.test(arch)) return pairs;
  const codes = valuesOf('-code=').flatMap(list);
  const virtual = asVirtual(arch);
  // `-arch=sm_90` alone is short for `-gencode arch=compute_90,code=[sm_90,compute_90]`.
  const implied = arch.startsWith('sm_') ? [arch, virtual] : [arch];
  return [...pairs, { virtual, codes: codes.length > 0 ? codes : implied }];
}

/** Reads `arch=compute_90,code=[compute_90,sm_90]`, with or without quotes or brackets. */
function readPair(text: string): Generated {
  const plain = text.replaceAll(/["'\s]/g, '');
  const virtual = /(?:^|,)arch=([^,\]]+)/.exec(plain)?.[1] ?? '';
  const codes = /(?:^|,)code=(?:\[([^\]]*)\]|(.*?)(?:,arch=|$))/.exec(plain);
  return { virtual, codes: list(codes?.[1] ?? codes?.[2] ?? '').map((code) => code.replace('lto_', 'sm_')) };
}

function list(text: string): string[] {
  return text.split(',').filter((part) => part !== '');
}
