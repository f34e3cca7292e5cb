import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Stage } from '../../lib/stage/stage';
import { exitCodes } from '../../lib/support/error-codes';

/** The outcome in one word: the name of the exit code, or `app-failed` for one of the app's own. */
export function outcomeOf(exitCode: number): string {
  return Object.entries(exitCodes).find(([, code]) => code === exitCode)?.[0] ?? 'app-failed';
}

/** Output of every tool: the result, or an excerpt and the address of the whole result. */
function structured(stage: Stage): z.ZodType {
  const meanings = Object.entries(stage.exitCodes).map(([name, meaning]) => `${name}: ${meaning}`);
  return z.object({
    exit_code: z.int().describe('As of the command line; see docs/reference/exit-codes.md.'),
    outcome: z.string().describe(meanings.join(' ')),
    error: z.object({ code: z.string(), message: z.string(), hint: z.string() }).optional().describe('With isError.'),
    result: stage.result.optional().describe('Left out where it is larger than the server may send.'),
    excerpt: z.unknown().optional().describe('Of a result that is too large: long lists and texts are cut.'),
    rest: z
      .object({ uri: z.string(), bytes: z.int() })
      .optional()
      .describe('The resource that is the whole of a result that is too large.'),
  });
}

/** A stage as a tool, entirely from its descriptor. */
export function toolOf(stage: Stage): Tool {
  return {
    name: stage.name,
    description: `${stage.summary}${stage.project === 'none' ? '' : ` Starts from ${projects[stage.project]}.`}`,
    inputSchema: schemaOf(stage.options, 'input') as Tool['inputSchema'],
    outputSchema: schemaOf(structured(stage), 'output') as NonNullable<Tool['outputSchema']>,
    annotations: {
      readOnlyHint: stage.readOnly === true,
      // Cached outputs are never files that a user edits.
      ...(stage.readOnly ? {} : { destructiveHint: stage.task?.cache !== true }),
      openWorldHint: 'remote' in stage.options.shape,
    },
  };
}

const projects = {
  app: 'an app: the folder with kernloop.json, as `app`',
  reproducer: 'a reproducer: the folder with kernel.json, as `reproducer`',
};

/** Clients validate with draft 7. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, target: 'draft-7' });
  return { type: 'object', ...json };
}
