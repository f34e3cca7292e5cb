import { basename, extname } from 'node:path';
import { cuda } from '../language/cuda';
import { readClang } from './clang-unit';
import { isSameMachineCode } from './compared-code';
import type { Dialect } from './dialect';
import { cudaTarget } from './gencode';
import { nvccOption, nvccSources, readNvcc } from './nvcc-unit';
import { isNvcc } from './translation-unit';

export const cudaDialect: Dialect = {
  ...cuda,
  name: 'cuda',
  sources: nvccSources,
  compiler: 'nvcc',
  install: 'install the CUDA toolkit, set CUDA_HOME, or name a compiler with KERNLOOP_COMPILER',
  option: nvccOption,
  // CUDA code is never bundled.
  clangOptions: [],
  read: (command, environment) =>
    isNvcc(basename(command.compiler))
      ? readNvcc(command, environment)
      : readClang(command, { name: 'cuda', takes }, environment),
  target: (isa, { compiler, args }) => (isNvcc(compiler) ? cudaTarget(isa, args).real : isa),
  tellsTarget: true,
  isSameMachineCode,
};

/** clang compiles CUDA as well; hipcc does not. */
function takes(compiler: string, file: string): boolean | null {
  return compiler.includes('clang') && !compiler.startsWith('hipcc') ? extname(file) === '.cu' : null;
}
