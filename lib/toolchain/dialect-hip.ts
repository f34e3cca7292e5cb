import { extname } from 'node:path';
import { hip } from '../language/hip';
import { clangOption, readClang } from './clang-unit';
import { isSameButUnitName, isSameKernelCode } from './compared-code';
import type { Dialect } from './dialect';
import { offloadTarget } from './target';
import { isNvcc } from './translation-unit';

const sources = ['.hip', '.cu', '.cpp', '.cc', '.cxx', '.C'];

export const hipDialect: Dialect = {
  ...hip,
  name: 'hip',
  sources,
  compiler: 'hipcc',
  install: 'install it (Debian: sudo apt-get install hipcc libamdhip64-dev), or name one with KERNLOOP_COMPILER',
  option: clangOption('hip'),
  clangOptions: ['--no-gpu-bundle-output'],
  read: (command, environment) => readClang(command, { name: 'hip', takes }, environment),
  target: (isa, { args }) => offloadTarget(isa, args),
  // The capture names the target of AMD's code, so the code object need not be read for it.
  tellsTarget: false,
  isSameMachineCode: (symbol, one, other) => isSameKernelCode(symbol, one, other) || isSameButUnitName(one, other),
};

/** hipcc treats C++ files as HIP unless `-x` says otherwise; clang only files with HIP's extension. */
function takes(compiler: string, file: string): boolean | null {
  if (isNvcc(compiler)) return null;
  if (compiler.startsWith('hipcc')) return sources.includes(extname(file));
  return compiler.includes('clang') ? extname(file) === '.hip' : null;
}
