import { resolve } from 'node:path';
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Deps } from '../../lib/deps/deps';
import { candidateSchema } from '../../lib/judge/candidate-json';
import { confinement } from '../../lib/judge/confinement';
import { Judge, type Status } from '../../lib/judge/judge';
import { judgeSettings } from '../../lib/judge/options';
import { judgementLine } from '../../lib/judge/text';
import { stages } from '../../lib/stages/registry';
import { asKernloopError, errorText, KernloopError } from '../../lib/support/error';
import { environmentLayer, flagLayer, resolveOptions } from '../../lib/support/options';
import { describeIssues } from '../../lib/support/schema';
import { wordsOf, type Bounds } from './arguments';
import { excerptOf, sizeOf } from './bounded';

export const judgeToolNames = ['judge_submit', 'judge_result'] as const;
export type JudgeToolName = (typeof judgeToolNames)[number];
export const isJudgeTool = (name: string): name is JudgeToolName => judgeToolNames.some((one) => one === name);

const { files, configuration, limits, id, priority, label } = candidateSchema.shape;
const waitSeconds = z.int().min(0).max(300).default(0).describe('How long to wait for the verdict.');

const submitSchema = z.strictObject({
  reproducer: z.string().min(1).describe('Folder of the kernel: kernels/<app>/<kernel>.'),
  ...{ files, configuration, limits, id, priority, label, waitSeconds },
});
const resultSchema = z.strictObject({ id: id.unwrap(), waitSeconds });

const answerSchema = z.object({
  id: z.string(),
  kernel: z.string(),
  phase: z.string().describe('"queued", "compiling", "judging", or "done" once there is a verdict.'),
  judgement: z
    .looseObject({ verdict: z.string(), summary: z.string() })
    .nullable()
    .describe('Verdict, place and first wrong element, diagnostics, score, ratio to the captured code, resources.'),
  report: z.string().nullable().describe('File of the signed verdict.'),
});
const outputSchema = answerSchema.partial().extend({
  error: z.object({ code: z.string(), message: z.string(), hint: z.string() }).optional().describe('With isError.'),
});

const settingsSchema = z.object(judgeSettings);

const jsonOf = (schema: z.ZodType, io: 'input' | 'output'): Tool['inputSchema'] => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, target: 'draft-7' });
  return json as Tool['inputSchema'];
};

/** Tools over judges in this process: candidates are judged beside each other, and no file of the workspace is edited. */
export const judgeTools: readonly Tool[] = [
  {
    name: 'judge_submit',
    title: 'Submit a candidate',
    description:
      'Submits source files that replace those of a reproducer, which stay as they are. They are compiled in a sandbox, compared with what the app computed, and scored. Returns at once, unless `waitSeconds` is given: submit several, then ask `judge_result` for each.',
    inputSchema: jsonOf(submitSchema, 'input'),
    outputSchema: jsonOf(outputSchema, 'output'),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  },
  {
    name: 'judge_result',
    title: 'Get the verdict on a candidate',
    description:
      'Gives the verdict on a candidate of `judge_submit`, or its phase if it has none yet. Only `pass` says that it is right; `ratio` below 1 is better than the captured code.',
    inputSchema: jsonOf(resultSchema, 'input'),
    outputSchema: jsonOf(outputSchema, 'output'),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
];

interface Place {
  readonly bounds: Bounds;
  readonly maxBytes: number;
  readonly deps: Deps;
}

/** The judges of a server, one for each reproducer that was asked for: one that is broken is in the way of no other. */
export class WorkspaceJudges {
  private readonly judges = new Map<string, Promise<Judge>>();

  constructor(private readonly place: Place) {}

  async call(name: JudgeToolName, given: unknown, signal: AbortSignal): Promise<CallToolResult> {
    try {
      return this.answer(await (name === 'judge_submit' ? this.submit(given, signal) : this.result(given, signal)));
    } catch (thrown) {
      const known = asKernloopError(thrown);
      const { code, what, hint } = known;
      return {
        isError: true,
        content: [{ type: 'text', text: errorText(known, '').trimEnd() }],
        structuredContent: { error: { code, message: what, hint } },
      };
    }
  }

  /** Candidates without a verdict are given up: a service of the same home would judge them beside this process. */
  async close(): Promise<void> {
    const all = await Promise.allSettled([...this.judges.values()]);
    await Promise.all(all.flatMap((one) => (one.status === 'fulfilled' ? [one.value.close()] : [])));
  }

  private async submit(given: unknown, signal: AbortSignal): Promise<Told> {
    const { reproducer, waitSeconds: seconds, ...candidate } = parsed(submitSchema, given);
    const { bounds } = this.place;
    // Refuses a path that leads out of the workspace.
    wordsOf(stages.judge, { reproducer: [reproducer] }, bounds);
    const judge = await this.judgeOf(resolve(bounds.workspace, reproducer));
    return { judge, status: await waited(judge, judge.submit(candidate, group), seconds, signal) };
  }

  private async result(given: unknown, signal: AbortSignal): Promise<Told> {
    const { id, waitSeconds: seconds } = parsed(resultSchema, given);
    for (const judge of await Promise.all([...this.judges.values()])) {
      const status = judge.status(id);
      if (status?.group === group) return { judge, status: await waited(judge, status, seconds, signal) };
    }
    throw new KernloopError(
      'CANDIDATE_UNKNOWN',
      `no candidate ${id} was submitted here`,
      'submit it, or look at its id',
    );
  }

  private judgeOf(folder: string): Promise<Judge> {
    const known = this.judges.get(folder);
    if (known) return known;
    const opened = this.opened(folder);
    this.judges.set(folder, opened);
    // A missing file may be there the next time.
    opened.catch(() => this.judges.delete(folder));
    return opened;
  }

  private async opened(folder: string): Promise<Judge> {
    const { deps } = this.place;
    const layers = [flagLayer({ reproducer: [folder] }), environmentLayer('judge', settingsSchema, deps.env)];
    const { values } = resolveOptions(settingsSchema, layers);
    const judge = await Judge.open(values, await confinement(values, deps), deps, { isLasting: false });
    judge.subscribe(({ sealed }) => {
      // The next candidate gets a judge of the capture that is there then.
      if (sealed?.judgement.error === 'JUDGE_INPUT_CHANGED') this.judges.delete(folder);
    });
    return judge;
  }

  private answer({ judge, status: { id, kernel, phase, sealed } }: Told): CallToolResult {
    const whole = sealed?.judgement ?? null;
    const { maxBytes } = this.place;
    const judgement = whole && sizeOf(whole) > maxBytes / 2 ? excerptOf(whole, maxBytes / 2) : whole;
    const report = whole && judge.reportFile(id);
    const text = whole ? judgementLine(whole) : `${id}: ${phase}`;
    return { content: [{ type: 'text', text }], structuredContent: { id, kernel, phase, judgement, report } };
  }
}

interface Told {
  readonly judge: Judge;
  readonly status: Status;
}

/** Candidates of agents are not those of others who use the same home. */
const group = 'mcp';

/** The state once there is a verdict, or after some seconds. */
async function waited(judge: Judge, status: Status, seconds: number, signal: AbortSignal): Promise<Status> {
  if (status.sealed || seconds === 0) return status;
  const until = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
  try {
    await judge.verdict(status.id, until);
  } catch (error) {
    if (!until.aborted) throw error;
  }
  return judge.status(status.id) ?? status;
}

function parsed<S extends z.ZodType>(schema: S, given: unknown): z.output<S> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new KernloopError('USAGE', describeIssues(result.error, schema), 'look at the schema of the tool');
}
