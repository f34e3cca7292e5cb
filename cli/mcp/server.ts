import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import { isStageName, type StageName } from '../../lib/stages/registry';
import { asKernloopError, closest } from '../../lib/support/error';
import { version } from '../../lib/support/version';
import type { Bounds } from './arguments';
import { callStage } from './calls';
import { isJudgeTool, judgeTools, type WorkspaceJudges } from './judge-tools';
import { loopTools } from './loop-tools';
import { ProgressNotices } from './progress';
import { promptOf, prompts } from './prompts';
import { Resources, resourceTemplates } from './resources';
import { Results } from './results';
import type { RunVerb } from './run-verb';
import { shortToolOf, toolOf } from './tools';
import { toolWords } from './words';

export interface ServerPlace {
  readonly bounds: Bounds;
  /** Stages to offer with complete schemas. Left out: those of the loop, in few words. */
  readonly tools?: readonly StageName[] | undefined;
  /** Judges behind `judge_submit` and `judge_result`; left out, these are not offered. */
  readonly judges?: Pick<WorkspaceJudges, 'call'> | undefined;
  readonly maxBytes: number;
  readonly run: RunVerb;
  readonly now: () => number;
}

const instructions = `Kernloop captures one dispatch of one GPU kernel out of a running program and judges edits of it against what the program computed.
Order: kernels (what is there), profile (which kernels cost most), declare, extract (makes kernels/<app>/<kernel>/), edit kernel_variant.* there, validate (compiles the edit; is it right?), replay with compare (is it faster?).
A result has exit_code, outcome and result, or an excerpt of it and rest.uri. An error has code, message and hint.
Only a validate with outcome "pass" means that an edit is right. Never edit capture/ or pristine/, and never loosen a tolerance to make a verdict pass.
The resource kernloop-skill://kernloop says more, kernloop-tool://NAME has the complete schemas of a tool.`;

const resourcesAtOnce = 200;
/** Error code of the protocol: the SDK has no name for it. */
const resourceNotFound = -32002;

/** Stages as tools, and the files that they work on as resources. */
export function createServer({ bounds, tools: named, judges, maxBytes, run, now }: ServerPlace): Server {
  const tools = named ?? loopNames;
  const words = toolWords(tools);
  const results = new Results();
  const resources = new Resources(bounds, results, maxBytes, words);
  const server = new Server(
    { name: 'kernloop', version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions },
  );
  let described: Tool[] | undefined;
  server.setRequestHandler(ListToolsRequestSchema, () => {
    described ??= tools.map((name) => {
      const short = named === undefined ? loopTools[name] : undefined;
      return short === undefined ? toolOf(name, words) : shortToolOf(name, short);
    });
    return { tools: judges ? [...described, ...judgeTools] : described };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification, _meta }) => {
    if (judges && isJudgeTool(params.name)) return judges.call(params.name, params.arguments ?? {}, signal);
    const name = tools.find((tool) => tool === params.name);
    if (name === undefined) throw unknownTool(params.name, tools);
    const token = _meta?.progressToken;
    const notices = new ProgressNotices((notice) => {
      if (token === undefined) return;
      const told = { method: 'notifications/progress' as const, params: { progressToken: token, ...notice } };
      // The client may have disconnected.
      sendNotification(told).catch(() => undefined);
    }, now);
    const place = { bounds, results, maxBytes, run, words };
    return callStage(name, params.arguments ?? {}, place, (event) => notices.take(event), signal);
  });
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [...prompts] }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => promptOf(params.name, params.arguments ?? {}));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates }));
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => {
    const from = startOf(params?.cursor);
    const all = resources.list();
    const next = from + resourcesAtOnce;
    return { resources: all.slice(from, next), ...(next < all.length ? { nextCursor: String(next) } : {}) };
  });
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => {
    try {
      return resources.read(params.uri);
    } catch (error) {
      const { code, what, hint } = asKernloopError(error);
      throw Object.assign(new Error(`${what} [${code}]`), {
        code: resourceNotFound,
        data: { uri: params.uri, code, hint },
      });
    }
  });
  return server;
}

/** Tools that are offered unless others are named. */
export const loopNames: readonly StageName[] = Object.keys(loopTools).filter(isStageName);

function unknownTool(name: string, tools: readonly string[]): McpError {
  if (isStageName(name) || isJudgeTool(name)) {
    const all = `kernloop mcp --tools all`;
    return new McpError(ErrorCode.InvalidParams, `${name} is not offered here: \`${all}\` has it`);
  }
  const [suggestion] = closest(name, tools, 1);
  const meant = suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`;
  return new McpError(ErrorCode.InvalidParams, `there is no tool ${name}${meant}`);
}

function startOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^\d{1,9}$/.test(cursor)) throw new McpError(ErrorCode.InvalidParams, `${cursor} is no cursor of this server`);
  return Number(cursor);
}
