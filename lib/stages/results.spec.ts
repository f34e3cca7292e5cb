import { z } from 'zod';
import { openApiDocument } from '../judge/service/openapi';
import type { Stage } from '../stage/stage';
import { stages } from './registry';

interface Shape {
  type?: string | string[];
  properties?: Record<string, Shape>;
  items?: Shape | Shape[];
  anyOf?: Shape[];
  oneOf?: Shape[];
  additionalProperties?: boolean | Shape;
  definitions?: Record<string, Shape>;
}

/** Every field that JSON of the result may have, with its path. */
function fieldsOf(shape: Shape, path: string): { path: string; name: string; shape: Shape }[] {
  const inner = [
    shape.items,
    shape.anyOf,
    shape.oneOf,
    shape.additionalProperties,
    Object.values(shape.definitions ?? {}),
  ]
    .flat()
    .filter((one): one is Shape => typeof one === 'object');
  const own = Object.entries(shape.properties ?? {}).flatMap(([name, property]) => [
    { path: `${path}.${name}`, name, shape: property },
    ...fieldsOf(property, `${path}.${name}`),
  ]);
  return [...own, ...inner.flatMap((one) => fieldsOf(one, path))];
}

const isSnake = (name: string): boolean => /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name);

const results = Object.values<Stage>(stages).flatMap(({ name, result }) =>
  fieldsOf(z.toJSONSchema(result, { target: 'draft-7' }) as Shape, name),
);

/** Types of a field, of its items, and of its alternatives. */
function typesOf({ type, items, anyOf = [] }: Shape): string[] {
  const inner = [...anyOf, items].flat().filter((one): one is Shape => one !== undefined);
  return [...[type].flat().filter((one) => one !== undefined), ...inner.flatMap(typesOf)];
}

const counted =
  /(^|_|[a-z])(bytes|chunks|dispatches|launches|regions|registers|replays|iterations|rows|units|lanes|waves|samples|ordinal|offset|dwords|dispatch|count)$/i;

describe('the JSON of a result', () => {
  it('has every field in snake_case, but for entries of kernloop.json', () => {
    const others = results.filter(({ name }) => !isSnake(name)).map(({ path }) => path);
    expect(others).toEqual(['declare.declared.wholeName', 'declare.declared.afterCount']);
    expect(results.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['replay.duration_ns.median', 'judge.judgements.decided_by.code_object']),
    );
  });

  it('has the casing of what a judge takes and answers over HTTP', () => {
    const { components } = openApiDocument() as { components: { schemas: Record<string, Shape> } };
    const wire = Object.entries(components.schemas).flatMap(([name, shape]) => fieldsOf(shape, name));
    expect(wire.filter(({ name }) => !isSnake(name))).toEqual([]);
    expect(wire.map(({ name }) => name)).toEqual(expect.arrayContaining(['compile_seconds', 'kernel_json']));
  });

  it('has bytes and other counts as integers', () => {
    const numbers = results.filter(({ name, shape }) => counted.test(name) && typesOf(shape).includes('number'));
    expect(numbers.map(({ path }) => path)).toEqual([]);
    const integers = results.filter(({ shape }) => typesOf(shape).includes('integer')).map(({ path }) => path);
    expect(integers).toEqual(
      expect.arrayContaining(['validate.compared_bytes', 'validate.regions.elements.offset', 'profile.kernels.total']),
    );
  });
});
