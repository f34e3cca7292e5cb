import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Stage } from '../../lib/stage/stage';
import { stages, type StageName } from '../../lib/stages/registry';
import { exitCodes } from '../../lib/support/error-codes';
import { loopTools, type LoopTool } from './loop-tools';
import { schemaOfPaths, type JsonSchema } from './short-schema';
import { textsIn, type InToolWords } from './words';

/** Whether a result says right or wrong. Other stages do what they are asked for, which is no verdict. */
export const isJudging = ({ exitCodes: meanings }: Stage): boolean => 'fail' in meanings;

/**
 * The outcome in one word: the name of the exit code, `done` in place of `pass` where nothing was judged, or
 * `app-failed` for an exit code of the app's own.
 */
export function outcomeOf(exitCode: number, stage: Stage): string {
  if (exitCode === exitCodes.pass && !isJudging(stage)) return 'done';
  return Object.entries(exitCodes).find(([, code]) => code === exitCode)?.[0] ?? 'app-failed';
}

/** A stage as a tool, from its descriptor alone, with complete schemas. */
export function toolOf(name: StageName, words: InToolWords): Tool {
  const stage: Stage = stages[name];
  const about = `${stage.summary}${stage.project === 'none' ? '' : ` Starts from ${projects[stage.project]}.`}`;
  const title = loopTools[name]?.title;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description: words(about),
    inputSchema: textsIn(schemaOf(stage.options, 'input'), 'description', words) as Tool['inputSchema'],
    outputSchema: textsIn(schemaOf(structured(stage), 'output'), 'description', words) as NonNullable<
      Tool['outputSchema']
    >,
    annotations: annotationsOf(stage),
  };
}

/** A tool of the loop in few words. */
export function shortToolOf(name: StageName, { title, description, options, result }: LoopTool): Tool {
  const stage: Stage = stages[name];
  return {
    name,
    title,
    description,
    inputSchema: shortInput(schemaOf(stage.options, 'input'), options) as Tool['inputSchema'],
    outputSchema: shortOutput(schemaOf(stage.result, 'output'), result) as NonNullable<Tool['outputSchema']>,
    annotations: annotationsOf(stage),
  };
}

function shortInput({ properties = {}, required = [] }: JsonSchema, told: LoopTool['options']): object {
  const named = Object.entries(told).map(([name, description]): [string, object] => {
    const property = properties[name];
    if (typeof property !== 'object') throw new Error(`there is no option ${name}`);
    const { type, enum: choices, items } = property;
    return [
      name,
      { type, ...(choices ? { enum: choices } : {}), ...(items ? { items: { type: 'string' } } : {}), description },
    ];
  });
  return { type: 'object', properties: Object.fromEntries(named), ...(required.length > 0 ? { required } : {}) };
}

function shortOutput(schema: JsonSchema, fields: readonly string[]): object {
  const text = { type: 'string' };
  return {
    type: 'object',
    properties: {
      exit_code: { type: 'integer' },
      outcome: text,
      error: { type: 'object', properties: { code: text, message: text, hint: text } },
      result: { ...schemaOfPaths(schema, fields), additionalProperties: true },
      rest: { type: 'object', properties: { uri: text } },
    },
    required: ['exit_code', 'outcome'],
  };
}

/** Output of every tool: the result, or an excerpt and the address of the whole result. */
function structured(stage: Stage): z.ZodType {
  const meanings = Object.entries(stage.exitCodes).map(
    ([name, meaning]) => `${name === 'pass' && !isJudging(stage) ? 'done' : name}: ${meaning}`,
  );
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

const annotationsOf = (stage: Stage): NonNullable<Tool['annotations']> => ({
  readOnlyHint: stage.readOnly === true,
  // Cached outputs are never files that a user edits.
  ...(stage.readOnly ? {} : { destructiveHint: stage.task?.cache !== true }),
  openWorldHint: 'remote' in stage.options.shape,
});

const ofApp = 'an app: the folder with kernloop.json, as `app`';
const ofReproducer = 'a reproducer: the folder with kernel.json, as `reproducer`';
const projects = { app: ofApp, reproducer: ofReproducer, either: `${ofReproducer}; or ${ofApp}` };

/** Clients validate with draft 7. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, target: 'draft-7' });
  return { type: 'object', ...json };
}
