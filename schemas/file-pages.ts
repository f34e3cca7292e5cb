import { z } from 'zod';
import { kernloopJsonSchema } from '../lib/app/kernloop-json';
import { kernelJsonSchema } from '../lib/reproducer/kernel-json';

interface JsonSchema {
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  additionalProperties?: JsonSchema | boolean;
}

/** docs/reference/files.md: every field of the two project files, from their schemas. */
export function filesPage(): string {
  return [
    '# Project files',
    '',
    'Generated from the schemas by `npm run schemas`. Editors complete and check the files by `schemas/kernloop.schema.json` and `schemas/kernel.schema.json` (`$schema` names them). `[]` stands for each item of a list, `*` for each name.',
    '',
    ...section(
      'kernloop.json',
      'How an app is built and run, and which of its kernels matter. You write it.',
      kernloopJsonSchema,
    ),
    ...section(
      'kernel.json',
      'What a reproducer is of. `generate` writes it; fields of arguments and `options` are yours to change.',
      kernelJsonSchema,
    ),
  ].join('\n');
}

function section(title: string, about: string, schema: z.ZodType): string[] {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  return [
    `## ${title}`,
    '',
    about,
    '',
    '| field | type | meaning |',
    '|---|---|---|',
    ...rows(json, '').map((cells) => `| ${cells.map(cell).join(' | ')} |`),
    '',
  ];
}

function rows(schema: JsonSchema, path: string): string[][] {
  const required = new Set(schema.required);
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const about = `${required.has(name) ? 'Required. ' : ''}${field.description ?? ''}`;
    return [[`\`${at}\``, typeOf(field), about], ...below(field, at)];
  });
  const rest = typeof schema.additionalProperties === 'object' ? rows(schema.additionalProperties, `${path}.*`) : [];
  return [...own, ...rest];
}

function below(field: JsonSchema, at: string): string[][] {
  const inner = [field, ...(field.anyOf ?? field.oneOf ?? [])];
  return inner.flatMap((one) => (one.items ? below(one.items, `${at}[]`) : rows(one, at)));
}

function typeOf({ type, enum: values, const: value, items, anyOf, oneOf }: JsonSchema): string {
  if (value !== undefined) return `\`${JSON.stringify(value)}\``;
  if (values) return values.map((one) => `\`${JSON.stringify(one)}\``).join(', ');
  const kinds = anyOf ?? oneOf;
  if (kinds) return [...new Set(kinds.map(typeOf))].join(' or ');
  if (items) return `list of ${typeOf(items)}`;
  return [type ?? 'any'].flat().join(' or ');
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
