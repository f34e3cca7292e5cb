import { z } from 'zod';
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
  it('has bytes and other counts as integers', () => {
    const numbers = results.filter(({ name, shape }) => counted.test(name) && typesOf(shape).includes('number'));
    expect(numbers.map(({ path }) => path)).toEqual([]);
    const integers = results.filter(({ shape }) => typesOf(shape).includes('integer')).map(({ path }) => path);
    expect(integers).toEqual(
      expect.arrayContaining(['validate.compared_bytes', 'validate.regions.elements.offset', 'profile.kernels.total']),
    );
  });
});
