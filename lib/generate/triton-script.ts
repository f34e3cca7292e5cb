import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { render } from 'ejs';
import type { CaptureJson } from '../archive/capture-files';
import type { TritonCompilation, TritonJson, TritonValue } from '../archive/triton-json';
import type { TritonParameter } from '../reproducer/triton-args';
import { packageRoot } from '../support/version';
import { languageImports } from './triton-text';
import { argumentTexts } from './triton-views';

const template = join(packageRoot, 'generators', 'reproducer', 'triton', 'reproducer.py.template');

export interface ScriptInput {
  app: string;
  json: TritonJson & { compilation: TritonCompilation };
  capture: CaptureJson;
  passed: readonly TritonParameter[];
  kernel: string;
  modules: { name: string; file: string }[];
  /** Whether the text of the app's grid function gives the launched grid. */
  isGridProven: boolean;
}

interface Named {
  name: string;
  text: string;
}

/** Text of reproducer.py: the compilation and the launch as literals that can be read and edited. */
export function reproducerText({ app, json, capture, passed, kernel, modules, isGridProven }: ScriptInput): string {
  const { compilation } = json;
  const parameters = compilation.parameters ?? [];
  const { backend, arch, warp_size: wave } = compilation.target;
  const view = {
    ...{ app, kernel, modules, name: capture.kernel.name, triton: compilation.triton },
    hasDeps: modules.some(({ file }) => file.startsWith('deps/')),
    configuration: configurationText(json),
    constexprs: parameters.flatMap(({ name, constexpr }, index) =>
      constexpr ? [{ name, text: valueText(constantAt(compilation, index)) }] : [],
    ),
    options: Object.entries(compilation.options ?? {}).map(([name, value]) => ({ name, text: valueText(value) })),
    grid: gridLines(json, capture, isGridProven),
    args: argumentTexts(json, passed, capture),
    target: `("${backend}", ${typeof arch === 'number' ? arch : `"${arch}"`}, ${wave})`,
    signature: parameters.map(({ name, type }): Named => ({ name, text: type })),
    specialised: (compilation.attributes ?? []).flatMap(({ path, value }): Named[] => {
      const parameter = path.length === 1 ? parameters[path[0] ?? -1] : undefined;
      return parameter === undefined || value.length === 0
        ? []
        : [{ name: parameter.name, text: pythonLiteral(value) }];
    }),
    environment: Object.entries(compilation.environment).map(([name, text]) => ({ name, text: JSON.stringify(text) })),
  };
  const imports = languageImports(JSON.stringify([view.constexprs, view.options, view.args]));
  return render(readFileSync(template, 'utf8'), { ...view, imports }, { filename: template, escape: String });
}

function constantAt({ constexprs }: TritonCompilation, index: number): TritonValue | undefined {
  return constexprs?.find(({ path }) => path.length === 1 && path[0] === index)?.value;
}

function valueText(value: TritonValue | undefined): string {
  if (value !== undefined && 'python' in value) return value.python.replace(/^tl\.constexpr\((.*)\)$/s, '$1');
  if (value !== undefined && 'function' in value) {
    const { module, qualname } = value.function;
    return `captured.function("${module}", "${qualname.split('.').at(-1) ?? qualname}")`;
  }
  return 'captured.unavailable("a value that cannot be written down")';
}

/** Says how the app's autotuners chose the configuration. */
function configurationText({ compilation, launch, winners }: TritonJson): string | null {
  if (launch?.autotuned !== true) return null;
  const config = { ...compilation?.options };
  const same = (value: TritonValue | undefined, other: TritonValue): boolean =>
    JSON.stringify(value) === JSON.stringify(other);
  const isWinner = winners.some((winner) =>
    Object.entries(winner).every(([name, value]) => {
      const index = compilation?.parameters?.findIndex((each) => each.name === name) ?? -1;
      const mine = index >= 0 && compilation ? constantAt(compilation, index) : config[name];
      return mine === undefined || same(mine, value);
    }),
  );
  if (winners.length === 0) return 'Of a launch through the autotuner, of which it is not known what it chose.';
  return isWinner
    ? 'What the autotuner of the app chose.'
    : 'One that the autotuner of the app tried, and did not choose: capture a later dispatch for the one that it chose.';
}

/** Uses the app's own formula if it gives the captured grid, otherwise the numbers. */
function gridLines({ launch }: TritonJson, { geometry }: CaptureJson, isProven: boolean): string[] {
  const captured = `return (${geometry.grid_blocks.join(', ')})`;
  const text = launch?.grid_function.python;
  if (text != null && isProven) return bodyOf(text);
  const why =
    launch === null || launch === undefined
      ? 'the launch was not seen'
      : (launch.grid_function.why ?? 'its text gives another grid');
  return [`# The captured grid (${why}): write what it depends on, where you change a block size.`, captured];
}

/** Body of a function for `values, imports, def grid(meta): body`: all of it moves into the function. */
function bodyOf(text: string): string[] {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.startsWith('def grid('));
  const parameter = /^def grid\((\w+)/.exec(lines[at] ?? '')?.[1] ?? 'meta';
  const body = lines.slice(at + 1).map((line) => line.replace(/^ {4}/, ''));
  const before = lines.slice(0, at).filter((line) => line !== '');
  return [
    ...before.sort((a, b) => Number(b.includes('import ')) - Number(a.includes('import '))),
    ...(parameter === 'meta' ? [] : [`${parameter} = meta`]),
    ...body,
  ];
}

function pythonLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}
