import { z } from 'zod';
import { outputSchema } from '../lib/stages/output';
import { stages } from '../lib/stages/registry';
import type { Stage } from '../lib/stage/stage';
import { withSharedBodies } from './shared-bodies';

/** The schema with each reference replaced by what it refers to. */
function expanded(value: unknown, definitions: Readonly<Record<string, object>>): unknown {
  if (Array.isArray(value)) return value.map((one) => expanded(one, definitions));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = value as { $ref?: string };
  const target = $ref === undefined ? {} : definitions[$ref.replace('#/definitions/', '')];
  if (target === undefined) throw new Error(`${String($ref)} is not there`);
  const members = Object.entries({ ...target, ...rest }).filter(([name]) => name !== 'definitions');
  return Object.fromEntries(members.map(([name, member]) => [name, expanded(member, definitions)]));
}

const definitionsOf = (schema: object): Record<string, object> =>
  (schema as { definitions?: Record<string, object> }).definitions ?? {};

const range = z.object({ begin: z.int().describe('First byte.'), end: z.int().describe('Byte after the last one.') });

describe('a schema with shared bodies', () => {
  it.each(Object.values<Stage>(stages))('of $name allows what the one without them does', ({ name, result }) => {
    const whole = z.toJSONSchema(outputSchema(name, result), { io: 'output', target: 'draft-7' });
    const shared = withSharedBodies(whole);
    expect(expanded(shared, definitionsOf(shared))).toEqual(whole);
  });

  it('has a repeated body once, under the name of its first place, and each description in its place', () => {
    const whole = z.toJSONSchema(z.object({ reads: z.array(range), last: range.describe('The last write.') }));
    expect(withSharedBodies(whole)).toMatchObject({
      properties: {
        reads: { items: { $ref: '#/definitions/read' } },
        last: { $ref: '#/definitions/read', description: 'The last write.' },
      },
      definitions: { read: { properties: { begin: { type: 'integer' } } } },
    });
  });

  it('keeps bodies apart that differ only in what a field means, and numbers two of one name', () => {
    const other = z.object({
      begin: z.int().describe('First line.'),
      end: z.int().describe('Line after the last one.'),
    });
    const pair = (one: z.ZodType): z.ZodType => z.object({ range: one, again: one });
    const shared = withSharedBodies(z.toJSONSchema(z.object({ bytes: pair(range), lines: pair(other) })));
    expect(Object.keys(definitionsOf(shared))).toEqual(['range', 'range2']);
    expect(definitionsOf(shared)['range2']).toMatchObject({ properties: { begin: { description: 'First line.' } } });
  });

  it('has no definition for a body whose only two places are in one that is shared itself', () => {
    const outer = z.object({ inner: range, label: z.string() });
    const shared = withSharedBodies(z.toJSONSchema(z.object({ a: outer, b: outer })));
    expect(Object.keys(definitionsOf(shared))).toEqual(['a']);
  });
});
