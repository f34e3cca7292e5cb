import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { captureFile, packFile } from '../archive/capture-files';
import { judgingOptions } from '../candidate/judging';
import { candidateOptions } from '../judge/decided-by';
import { judgeOptionsSchema } from '../judge/options';
import { codeObjects } from '../recompile/current-variant';
import { notSources } from '../stage/writes';
import { chooseDispatches } from '../replay/captured-dispatches';
import type { Reproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import { jsonText, writeFileAtomic } from '../support/files';
import { kernelFile } from '../support/project-file-names';
import { arenaRunner } from './arena-runner';
import type { ExportTaskOptions } from './options';

/** Number of derived inputs by which the task judges, so that results written into a kernel do not pass. */
const usualInputs = 4;

/**
 * Task of AgentKernelArena (docs/how-to/add-task.md there): a folder that its runs copy, with the commands that compile,
 * judge and time the edited source.
 */
export function agentKernelArena(reproducer: Reproducer, { output }: ExportTaskOptions): string[] {
  const { root, config } = reproducer;
  if (config.language !== 'hip' || config.source === null || config.source === undefined) {
    throw new KernloopError(
      'EXPORT_UNSUPPORTED',
      `${config.name} is no HIP kernel with a source, and tasks of AgentKernelArena are edits of one on AMD hardware (task_type hip2hip)`,
      'use `--format flashinfer-bench`, or `kernloop judge`, which takes every language',
    );
  }
  requireNothingAt(output);
  const captures = chooseDispatches(reproducer, undefined, 'all').chosen.map(({ folder }) => folder);
  captures.forEach(requireWhole);
  const compiled = readdirSync(root).filter(
    (name) => name === 'pristine' || (!notSources.has(name) && !codeObjects.test(name) && name !== kernelFile),
  );
  mkdirSync(output, { recursive: true });
  const folders = [...compiled, ...captures.map((folder) => relative(root, folder))];
  for (const name of folders) cpSync(join(root, name), join(output, name), { recursive: true, dereference: true });
  const texts: Readonly<Record<string, string>> = {
    [kernelFile]: jsonText({
      ...config,
      options: { validate: judgedBy(reproducer) },
      task_of: 'agent-kernel-arena',
    }),
    'config.yaml': configOf(reproducer, config.source.variant),
    'scripts/task_runner.py': arenaRunner,
  };
  for (const [name, text] of Object.entries(texts)) writeFileAtomic(join(output, name), text);
  return [...Object.keys(texts), ...folders].sort();
}

/** Options of validate that are in force, as the task has no kernloop.json. */
function judgedBy(reproducer: Reproducer): object {
  const none = judgeOptionsSchema.parse({ candidate: ['-'] });
  const declared = Object.entries(judgingOptions(reproducer, candidateOptions(reproducer, none))).filter(
    ([name, value]) =>
      value !== undefined && !['reproducer', 'store', 'capture', 'device', 'gpu'].includes(name) && !isEmpty(value),
  );
  return { inputs: usualInputs, ...Object.fromEntries(declared) };
}

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

function configOf({ config }: Reproducer, variant: string): string {
  const list = (name: string, items: readonly string[]): string[] => [
    `${name}:`,
    ...items.map((item) => `- ${JSON.stringify(item)}`),
  ];
  const runs = (mode: string): string[] => [`python3 scripts/task_runner.py ${mode}`];
  const [arch = ''] = /gfx[0-9a-f]+/.exec(config.device.isa) ?? [];
  return `${[
    ...list('source_file_path', [variant]),
    ...list('target_kernel_functions', [functionOf(config.demangled)]),
    ...list('compile_command', runs('compile')),
    ...list('correctness_command', runs('correctness')),
    ...list('performance_command', runs('performance')),
    'task_type: hip2hip',
    'task_result_template: null',
    'platform_support:',
    `  required_arch: ${JSON.stringify(arch)}`,
    '  status: active',
    '  skip_reason: null',
    'prompt:',
    '  source_code: null',
    `  instructions: ${JSON.stringify(instructions(config.demangled, variant))}`,
    '  cheatsheet: null',
  ].join('\n')}\n`;
}

const instructions = (kernel: string, variant: string): string =>
  [
    `Make ${kernel} in ${variant} faster. Headers of it in deps/ may be edited as well.`,
    'Keep its name and its parameters: it is launched as a program launched it once, on the memory of that launch, and has to compute what the captured code computes, on other inputs too.',
    'capture/, pristine/, kernel.json and scripts/ decide the verdict: leave them as they are. The commands need kernloop (`npm install -g kernloop`).',
  ].join(' ');

/** `scale` for `void ns::scale<float>(float*, int)`. */
const functionOf = (demangled: string): string =>
  demangled
    .replace(/^void /, '')
    .replace(/[(<].*$/s, '')
    .split('::')
    .at(-1) ?? demangled;

function requireNothingAt(output: string): void {
  if (!existsSync(output) || readdirSync(output).length === 0) return;
  throw new KernloopError('TARGET_EXISTS', `${output} is not empty`, 'name a new folder with --output');
}

/** Chunks in a store would stay behind. */
function requireWhole(folder: string): void {
  if (existsSync(packFile(folder))) return;
  throw new KernloopError(
    'EXPORT_UNSUPPORTED',
    `the content of ${captureFile(folder)} is in a store of this machine, because it is large`,
    'use a smaller capture: of a smaller problem, or with `kernloop capture --shrink`',
  );
}
