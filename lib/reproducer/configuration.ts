import { z } from 'zod';

export const valueSchema = z.union([z.number(), z.string(), z.boolean()]);

const formula = z.string().min(1);

/**
 * Macros that a variant is compiled with, and its launch if that differs from the app's: formulas, evaluated for each
 * captured dispatch.
 */
export const configurationSchema = z.strictObject({
  parameters: z.record(z.string(), valueSchema).default({}).describe('What the formulas and macros are of.'),
  macros: z.array(z.string()).default([]).describe('Those that the source is compiled with, as with -D.'),
  grid: formula
    .optional()
    .describe('Blocks, X[,Y[,Z]]; if left out and the block is another, as many as hold the captured threads.'),
  block: formula.optional().describe('Threads of a block, X[,Y[,Z]].'),
  dynamic_shared: formula.optional().describe('Bytes of dynamic shared memory (LDS) of a block.'),
  arguments: z
    .record(z.string(), formula)
    .optional()
    .describe('Other values for scalar arguments, by name or position.'),
});

export type Configuration = z.output<typeof configurationSchema>;

/** Macros that the source is compiled with. */
export function macrosOf(configuration: Configuration | undefined): Record<string, z.output<typeof valueSchema>> {
  const { parameters = {}, macros = [] } = configuration ?? {};
  return Object.fromEntries(
    macros.flatMap((name) => (parameters[name] === undefined ? [] : [[name, parameters[name]]])),
  );
}
