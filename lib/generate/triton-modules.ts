import type { TritonCompilation, TritonJson } from '../archive/triton-json';
import type { KernelDefinition } from '../source/kernel-definitions';
import { readPythonModule } from '../source/python-module';
import { reducePython, type AppModule, type ReducedModule } from '../source/reduce-python';
import type { SourceParser } from '../source/source-parser';

export type Recorded = TritonJson & { compilation: TritonCompilation };

export interface ReducedSource {
  modules: ReducedModule[];
  /** Names without a known definition. */
  unexplained: string[];
  definition: KernelDefinition | null;
}

/** Parts of the recorded files that the kernel consists of, calls and reads. */
export function reduceRecorded({ compilation, sources }: Recorded, parser: SourceParser): ReducedSource {
  const { source, function: kernel, constexprs = [] } = compilation;
  if (source === undefined || kernel === null) throw new Error('the kernel was compiled from no function');
  const modules = new Map(
    source.files.map((file): [string, AppModule] => {
      const parsed = readPythonModule(sources[file.text ?? ''] ?? '', parser);
      return [file.module, { name: file.module, package: file.package, parsed }];
    }),
  );
  const passedFunctions = constexprs.flatMap(({ value }) => ('function' in value ? [value.function] : []));
  const reduction = reducePython({
    modules,
    roots: [kernel, ...passedFunctions],
    valueOf: (module, name) => {
      const value = source.globals.find((each) => each.module === module && each.name === name)?.value;
      return value !== undefined && 'python' in value ? value.python : undefined;
    },
    nestedOf: (module, name) =>
      source.functions.find((each) => each.module === module && each.qualname.endsWith(`.<locals>.${name}`))?.qualname,
  });
  const own = source.functions.find(({ module, qualname }) => module === kernel.module && qualname === kernel.qualname);
  return { ...reduction, definition: own === undefined ? null : definitionOf(kernel.qualname, own.line, own.source) };
}

function definitionOf(qualname: string, line: number, text: string): KernelDefinition {
  const decorators = text.split('\n').findIndex((each) => /^\s*def\s/.test(each));
  return {
    ...{ name: qualname, scope: [], externC: false, isTemplate: false, specialization: null, hasError: false },
    // Triton's signature gives the names and types of parameters.
    parameters: [],
    line: line + Math.max(0, decorators),
  };
}
