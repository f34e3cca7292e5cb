import type { NvrtcJson } from '../archive/nvrtc-json';
import type { Deps } from '../deps/deps';
import { parseDemangledName } from '../source/demangled-name';
import { findKernelDefinitions } from '../source/kernel-definitions';
import { openSourceParser } from '../source/source-parser';
import { bestDefinition } from '../source/match-definition';
import { findNvrtc, nvrtcCompiler } from '../toolchain/find-nvrtc';
import { readCaptured, signatureOf } from './captured';
import { writeNvrtcProgram } from './nvrtc-program';
import { isSameCode, prove } from './prove';
import type { PristineRequest, WrittenSource } from './request';
import { resetFolder } from './scratch';

/** Source of a program that the app passed to NVRTC and that the capture recorded. */
export async function nvrtcSource(program: NvrtcJson, request: PristineRequest, deps: Deps): Promise<WrittenSource> {
  const { capture, folder } = request;
  const captured = await readCaptured(request, deps);
  const compiler = await findNvrtc({ name: nvrtcCompiler, version: program.version.join('.') }, deps);
  resetFolder(folder);
  const { unproven, files, source } = writeNvrtcProgram(program, {
    ...{ folder, compilerVersion: compiler.version, target: captured.isa, symbol: capture.kernel.symbol },
    signature: signatureOf(capture),
  });
  const { codeObject } = await prove(unproven, compiler, captured, request, deps);
  const recipe = { ...unproven, files, code_object: codeObject };
  const definition = bestDefinition(
    findKernelDefinitions(source, await openSourceParser()),
    parseDemangledName(capture.kernel.name),
  );
  const origin = files[unproven.variant.file]?.origin ?? '';
  // NVRTC does not report which files of its include folders it read.
  const found = { recipe, definition, file: origin, translationUnit: origin, reads: null };
  if (!isSameCode(found)) {
    deps.report.warn(
      `recompiling what the app passed to NVRTC gives ${capture.kernel.name}, but not the captured code object`,
    );
  }
  return found;
}
