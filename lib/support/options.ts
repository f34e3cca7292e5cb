import { z } from 'zod';
import { KernloopError } from './error';
import { describeIssues } from './schema';
import type { Environment } from './environment';
import { environmentName, kebab, refuseFormerNames } from './option-variables';

export type OptionsSchema = z.ZodObject;

/** A source of values with its name for messages; earlier layers win. */
export interface Layer {
  origin: string | ((option: string) => string);
  values: Readonly<Record<string, unknown>>;
}

export interface Resolved<S extends OptionsSchema> {
  values: z.output<S>;
  /** Origin of each value: "flag --seed", "KERNLOOP_REPLAY_SEED", "kernloop.json", "default". */
  origins: Record<string, string>;
}

export interface OptionInfo {
  name: string;
  flag: string;
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array';
  choices?: string[];
  description: string;
  default?: unknown;
  required: boolean;
}

/** Short flags, for options that are often typed by hand. */
export const shortFlags: Readonly<Record<string, string>> = { verbose: '-v', kernel: '-k' };

const infos = new WeakMap<OptionsSchema, readonly OptionInfo[]>();

/** Options of a schema as flags, variables and table rows. */
export function optionInfos(schema: OptionsSchema): readonly OptionInfo[] {
  const known = infos.get(schema) ?? describeOptions(schema);
  infos.set(schema, known);
  return known;
}

function describeOptions(schema: OptionsSchema): OptionInfo[] {
  const json = z.toJSONSchema(schema, { io: 'input' });
  const required = new Set(json.required ?? []);
  return Object.entries(json.properties ?? {}).map(([name, property]) => {
    if (typeof property === 'boolean') throw new Error(`option ${name} has no type`);
    const choices = property.enum ?? (isObject(property.items) ? property.items.enum : undefined);
    return {
      name,
      flag: `--${kebab(name)}`,
      type: typeOf(name, property.type),
      ...(choices ? { choices: choices.map(String) } : {}),
      description: property.description ?? '',
      ...(property.default === undefined ? {} : { default: property.default }),
      required: required.has(name),
    };
  });
}

/**
 * Text of an option's default for help: undefined if there is none, or if the description tells it. The folder "." is
 * named, as a full stop follows.
 */
export function defaultText({ description, default: initial }: OptionInfo): string | undefined {
  if (description.includes('Default: ')) return undefined;
  if (Array.isArray(initial)) return initial.join(',') || undefined;
  return initial === '.' ? 'the working folder' : (initial as string | number | boolean | undefined)?.toString();
}

/** Merges the layers, best first, fills in defaults and checks; errors name the option and its origin. */
export function resolveOptions<S extends OptionsSchema>(schema: S, layers: readonly Layer[]): Resolved<S> {
  const values: Record<string, unknown> = {};
  const origins: Record<string, string> = {};
  for (const layer of layers) {
    for (const [name, value] of Object.entries(layer.values)) {
      if (value === undefined || name in values) continue;
      values[name] = value;
      origins[name] = typeof layer.origin === 'string' ? layer.origin : layer.origin(name);
    }
  }
  const parsed = schema.safeParse(values, { reportInput: true });
  if (!parsed.success) {
    const named = parsed.error.issues[0]?.path[0];
    const origin = named === undefined ? undefined : origins[String(named)];
    throw new KernloopError(
      'USAGE',
      `${describeIssues(parsed.error, schema)}${origin ? ` (from ${origin})` : ''}`,
      'see --help for the options of this stage',
    );
  }
  for (const name of Object.keys(parsed.data)) origins[name] ??= 'default';
  return { values: parsed.data, origins };
}

export function flagLayer(values: Readonly<Record<string, unknown>>): Layer {
  return { origin: (option) => `flag --${kebab(option)}`, values };
}

/** Values of the KERNLOOP_* variables that set an option of the stage. */
export function environmentLayer(stage: string, schema: OptionsSchema, env: Environment): Layer {
  const origin = (option: string): string => environmentName(stage, option);
  refuseFormerNames(stage, Object.keys(schema.shape), env);
  const values: Record<string, unknown> = {};
  for (const info of optionInfos(schema)) {
    const text = env[origin(info.name)];
    if (text !== undefined && text !== '') values[info.name] = parseText(info, text, origin(info.name));
  }
  return { origin, values };
}

/** Converts the text of a flag or variable to its typed value. */
export function parseText(info: OptionInfo, text: string, where: string): unknown {
  switch (info.type) {
    case 'array':
      return jsonList(text) ?? text.split(',').map((part) => part.trim());
    case 'boolean':
      if (['1', 'true', 'yes', 'on'].includes(text.toLowerCase())) return true;
      if (['0', 'false', 'no', 'off'].includes(text.toLowerCase())) return false;
      throw new KernloopError('USAGE', `${where}: "${text}" is neither true nor false`, 'use 1 or 0');
    case 'integer':
    case 'number': {
      const value = /^0x[0-9a-f]+$/i.test(text) ? Number.parseInt(text, 16) : Number(text);
      if (text.trim() === '' || !Number.isFinite(value)) {
        throw new KernloopError('USAGE', `${where}: "${text}" is not a number`, 'give a number');
      }
      return value;
    }
    case 'string':
      return text;
  }
}

/** Text that a flag has for a number or a list of numbers in a file: `9`, `1,9`. Other values stay as they are. */
export function numbersAsText(value: unknown): unknown {
  const numbers = Array.isArray(value) ? (value as unknown[]) : [value];
  const areNumbers = numbers.length > 0 && numbers.every((each) => typeof each === 'number');
  return areNumbers ? numbers.join(',') : value;
}

/** Parses `["one, two"]`, a form for items with commas. Other text that starts with a bracket stays text. */
function jsonList(text: string): string[] | null {
  if (!text.startsWith('["')) return null;
  try {
    const items: unknown = JSON.parse(text);
    return Array.isArray(items) && items.every((item) => typeof item === 'string') ? items : null;
  } catch {
    return null;
  }
}

function typeOf(name: string, type: unknown): OptionInfo['type'] {
  if (type === 'string' || type === 'number' || type === 'integer' || type === 'boolean' || type === 'array')
    return type;
  throw new Error(`option ${name} is of type ${String(type)}, which no flag can carry`);
}

function isObject(value: unknown): value is { enum?: unknown[] } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
