import type { z } from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The form of some fields of a value: `kernels[].name`. It says nothing of other fields, and allows them. */
export function schemaOfPaths(schema: JsonSchema, paths: readonly string[]): JsonSchema {
  const plain = withoutNull(schema);
  const form = plain.type === 'array' ? { items: itemsOf(plain, paths) } : { properties: propertiesOf(plain, paths) };
  return { type: plain === schema ? plain.type : [plain.type, 'null'], ...form } as JsonSchema;
}

function propertiesOf(schema: JsonSchema, paths: readonly string[]): Record<string, JsonSchema> {
  const names = [...new Set(paths.map((path) => /^[^.[]+/.exec(path)?.[0] ?? path))];
  return Object.fromEntries(
    names.map((name) => {
      const property = schema.properties?.[name];
      if (typeof property !== 'object') throw new Error(`there is no field ${name} in ${paths.join(', ')}`);
      const below = paths
        .filter((path) => path !== name && /^[.[]/.test(path.slice(name.length)) && path.startsWith(name))
        .map((path) => path.slice(name.length).replace(/^\./, ''));
      return [name, below.length === 0 ? leaf(property) : schemaOfPaths(property, below)];
    }),
  );
}

function itemsOf({ items }: JsonSchema, paths: readonly string[]): JsonSchema {
  if (typeof items !== 'object' || Array.isArray(items)) throw new Error(`no list holds ${paths.join(', ')}`);
  return schemaOfPaths(
    items,
    paths.map((path) => path.replace(/^\[\]\.?/, '')),
  );
}

/** The type of a value, without the fields that it has. */
function leaf(schema: JsonSchema): JsonSchema {
  const choices = (schema.anyOf ?? [schema]) as readonly JsonSchema[];
  const isTyped = choices.every(({ type }) => type !== undefined);
  const types = isTyped ? [...new Set(choices.flatMap(({ type }) => type ?? []))] : [];
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  const [only] = types;
  return {
    ...(types.length === 0 ? {} : { type: types.length === 1 ? only : types }),
    ...(values === undefined ? {} : { enum: values }),
  };
}

/** A schema without the null that it may be besides. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const others = (schema.anyOf as readonly JsonSchema[] | undefined)?.filter(({ type }) => type !== 'null');
  const [only] = others ?? [];
  return others?.length === 1 && only !== undefined ? only : schema;
}
