import { resolve } from 'node:path';
import type { Deps } from '../deps/deps';
import { openReproducer, type Reproducer } from '../reproducer/reproducer';
import { agentKernelArena } from './agent-kernel-arena';
import { flashinferBench } from './flashinfer-bench';
import type { ExportTaskOptions } from './options';
import type { ExportTaskResult } from './result';

type Writer = (reproducer: Reproducer, options: ExportTaskOptions, deps: Deps) => string[] | Promise<string[]>;

const writers: Readonly<Record<ExportTaskOptions['format'], Writer>> = {
  'agent-kernel-arena': agentKernelArena,
  'flashinfer-bench': flashinferBench,
};

/** Writes a reproducer as a task of somebody else's benchmark; nothing there is overwritten. */
export async function exportTask(given: ExportTaskOptions, deps: Deps): Promise<ExportTaskResult> {
  const reproducer = openReproducer(given.reproducer);
  const options = { ...given, output: resolve(given.output) };
  const files = await writers[options.format](reproducer, options, deps);
  const { name } = reproducer.config;
  deps.report.result(`${name}: a task of ${options.format} in ${given.output}: ${files.join(', ')}`);
  return { schema: 'kernloop.export-task/1', kernel: name, format: options.format, folder: options.output, files };
}
