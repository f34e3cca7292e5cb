import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseDemangledName } from '../source/demangled-name';
import { openSourceParser, type SourceParser } from '../source/source-parser';
import type { Configuration } from '../reproducer/configuration';
import { scalarType } from '../reproducer/configured-launch';
import type { KernelJson } from '../reproducer/kernel-json';
import { KernloopError, nearest } from '../support/error';
import { parseFormula, type Value } from '../support/expression';
import { macroText } from '../toolchain/macros';
import type { Recipe } from '../toolchain/recipe';
import { constantsNamed, type Constant } from './cpp-constants';
import type { TuneOptions } from './options';
import type { Parameter, Parameters } from './space';
import type { Subject } from './subject';
import { editableText, edited, literalValue } from './text-edits';
import { readRegularFile } from '../support/regular-file';

interface Source {
  name: string;
  text: string;
}

/** Target of a parameter: a constant's definition, a macro of the command, an argument, or launch formulas only. */
type Binding =
  | { kind: 'constant'; source: Source; constant: Constant }
  | { kind: 'macro' }
  | { kind: 'argument' }
  | { kind: 'launch' };

/** Subject of a C++ kernel: constants and macros of its sources, its scalar arguments, and its launch. */
export async function cppSubject(
  root: string,
  config: KernelJson,
  recipe: Recipe,
  parameters: readonly Parameter[],
  captured: Parameters,
  options: TuneOptions,
): Promise<Subject> {
  // Skips the file that the user's copy replaces.
  const below = filesBelow(root, 'deps').filter((name) => name !== join('deps', recipe.variant.stands_for));
  const sources = [recipe.variant.file, ...below].map((name) => ({
    name,
    text: readRegularFile(join(root, name), 'utf8'),
  }));
  const formulas = formulasOf(options, config.configuration, parameters);
  const named = new Set(Object.values(formulasIn(formulas)).flatMap((text) => [...namesIn(text)]));
  const parser = await openSourceParser();
  const bindings = new Map(parameters.map(({ name }) => [name, bindingOf(name, { sources, named, config, parser })]));
  for (const binding of bindings.values()) if (binding.kind === 'constant') editableText(root, binding.source.name);
  const base = { ...config.configuration?.parameters, ...currentValues(bindings, recipe, captured, config) };
  requireKnown(named, { ...captured, ...base }, parameters);
  const ofKind = (kind: Binding['kind']): string[] =>
    [...bindings].filter(([, binding]) => binding.kind === kind).map(([name]) => name);
  const ownMacros = config.configuration?.macros ?? [];
  const macros = [...new Set([...ownMacros, ...ofKind('macro')])];
  const passed = { ...formulas.arguments, ...Object.fromEntries(ofKind('argument').map((name) => [name, name])) };
  return {
    kinds: Object.fromEntries([...bindings].map(([name, { kind }]) => [name, kind])),
    base,
    known: { ...captured, ...base },
    vary(one) {
      const files = new Map<string, string>();
      for (const source of sources) {
        const edits = [...bindings].flatMap(([name, binding]) => {
          if (binding.kind !== 'constant' || binding.source !== source) return [];
          const value = one[name] ?? '';
          const { constant } = binding;
          return literalValue(constant.text) === value ? [] : [{ place: constant, text: macroText(value) }];
        });
        if (edits.length > 0) files.set(source.name, edited(source.text, edits));
      }
      const wanted = { ...config.configuration?.parameters, ...one };
      // A macro with the app's own value is already in the command.
      const changed = macros.filter((name) => ownMacros.includes(name) || one[name] !== base[name]);
      // Leaves out parameters that only edit the source.
      const used = Object.entries(wanted).filter(
        ([name]) => changed.includes(name) || named.has(name) || name in passed,
      );
      const configuration: Configuration = {
        parameters: Object.fromEntries(used),
        macros: changed,
        ...formulas,
        ...(Object.keys(passed).length === 0 ? {} : { arguments: passed }),
      };
      const isEmpty = [changed, Object.keys(formulas), Object.keys(passed)].every((part) => part.length === 0);
      return { files: Object.fromEntries(files), configuration: isEmpty ? config.configuration : configuration };
    },
  };
}

type Formulas = Omit<Configuration, 'parameters' | 'macros'>;

/** Formulas of the options, or else of kernel.json; Kernel Tuner's parameter names set the block by themselves. */
function formulasOf(
  { grid, block, dynamicShared, argument }: TuneOptions,
  before: Configuration | undefined,
  parameters: readonly Parameter[],
): Formulas {
  const axes = ['x', 'y', 'z'].map((axis) =>
    parameters.some(({ name }) => name === `block_size_${axis}`) ? `block_size_${axis}` : `block_${axis}`,
  );
  const byName = axes.some((name) => name.startsWith('block_size_')) ? axes.join() : undefined;
  const given = Object.fromEntries(
    argument.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
  );
  const all = {
    grid: grid ?? before?.grid,
    block: block ?? byName ?? before?.block,
    dynamic_shared: dynamicShared ?? before?.dynamic_shared,
    arguments: Object.keys(given).length > 0 || before?.arguments ? { ...before?.arguments, ...given } : undefined,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

const formulasIn = ({
  grid,
  block,
  dynamic_shared: shared,
  arguments: passed = {},
}: Formulas): Record<string, string> => ({
  ...(grid === undefined ? {} : { grid }),
  ...(block === undefined ? {} : { block }),
  ...(shared === undefined ? {} : { dynamic_shared: shared }),
  ...passed,
});

/** Names in a formula, or in the three of X,Y,Z. */
const namesIn = (text: string): ReadonlySet<string> => parseFormula(`max(0, ${text})`, 'a formula of the launch').names;

function requireKnown(names: ReadonlySet<string>, known: Parameters, parameters: readonly Parameter[]): void {
  const all = [...Object.keys(known), ...parameters.map(({ name }) => name)];
  const unknown = [...names].find((name) => !all.includes(name));
  if (unknown === undefined) return;
  const [close] = nearest(unknown, all, 1);
  throw new KernloopError(
    'FORMULA_INVALID',
    `nothing is called ${unknown}, which a formula of the launch names`,
    `${close ? `did you mean ${close}? ` : ''}known are ${all.join(', ')}`,
  );
}

interface Where {
  sources: readonly Source[];
  named: ReadonlySet<string>;
  config: KernelJson;
  parser: SourceParser;
}

function bindingOf(name: string, { sources, named, config, parser }: Where): Binding {
  const argument = config.args.find((arg) => arg.name === name);
  if (argument && scalarType(argument) !== null) return { kind: 'argument' };
  const word = new RegExp(`\\b${name}\\b`);
  const mentioning = sources.filter(({ text }) => word.test(text));
  const constants = mentioning.flatMap((source) =>
    constantsNamed(name, source.text, parser).map((constant) => ({ source, constant })),
  );
  const kernel = parseDemangledName(config.demangled).base;
  const [first, ...others] = constants.length > 1 ? narrowed(constants, kernel) : constants;
  if (first && others.length === 0) return { kind: 'constant', ...first };
  if (first) {
    throw new KernloopError(
      'TUNE_PARAMETER',
      `${name} has a value in ${constants.length} places: ${constants.map(({ source, constant }) => `${source.name}:${constant.line}`).join(', ')}`,
      'give what is to be tuned a name of its own',
    );
  }
  if (mentioning.length > 0) return { kind: 'macro' };
  if (named.has(name)) return { kind: 'launch' };
  throw new KernloopError(
    'TUNE_PARAMETER',
    `nothing depends on ${name}: no source of ${config.name} mentions it, no formula of the launch, and no scalar argument is called so`,
    'use it in the source (a macro, a constexpr), or in --grid, --block, --dynamic-shared or --argument',
  );
}

/** Prefers the constant of the captured kernel if several kernels of a file have one of that name. */
function narrowed<T extends { constant: Constant }>(constants: readonly T[], kernel: string): readonly T[] {
  const own = constants.filter(({ constant }) => constant.functions.includes(kernel));
  return own.length === 1 ? own : constants;
}

function currentValues(
  bindings: ReadonlyMap<string, Binding>,
  { arguments: words }: Recipe,
  captured: Parameters,
  { configuration }: KernelJson,
): Record<string, Value> {
  return Object.fromEntries(
    [...bindings].flatMap(([name, binding]): [string, Value][] => {
      // Values that kernel.json sets come from neither the command nor the app.
      if (binding.kind !== 'constant' && configuration?.parameters[name] !== undefined) return [];
      const text = binding.kind === 'constant' ? binding.constant.text : definedAs(name, words);
      const value =
        binding.kind === 'argument'
          ? captured[name]
          : text === undefined
            ? captured[name.replace('block_size_', 'block_')]
            : literalValue(text);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Value of the last definition; undefined if there is none or it has no value. */
function definedAs(name: string, words: readonly string[]): string | undefined {
  const form = new RegExp(`^(?:-D|-U|--(?:un)?define-macro=)?${name}(?:=(.*))?$`, 's');
  return words.map((word) => form.exec(word)).findLast((match) => match !== null)?.[1];
}

function filesBelow(root: string, folder: string): string[] {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      .sort();
  } catch {
    return [];
  }
}
