import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';
import { defaultDeps, type Deps } from '../../lib/deps/deps';
import { isStageName, stageNames, type StageName } from '../../lib/stages/registry';
import { KernloopError, closest } from '../../lib/support/error';
import { describeIssues } from '../../lib/support/schema';
import { findWorkspaceRoot } from '../../lib/support/workspace-root';
import { isJudgeTool, judgeToolNames, WorkspaceJudges } from './judge-tools';
import { verbRunner, type RunVerb } from './run-verb';
import { createServer, loopNames } from './server';

const optionsSchema = z.object({
  workspace: z.string().optional(),
  tools: z.string().optional(),
  maxBytes: z.coerce
    .number()
    .int()
    .min(4096)
    .max(64 * 1024 * 1024)
    .default(64 * 1024),
  allowOutside: z.boolean().default(false),
});

/** Serves until the client closes stdin or a signal arrives, which stops running stages. */
export async function serve(given: object, overrides: Partial<Deps> = {}): Promise<void> {
  const parsed = optionsSchema.safeParse(given);
  if (!parsed.success) throw new KernloopError('USAGE', describeIssues(parsed.error), 'see kernloop mcp --help');
  const options = parsed.data;
  const workspace = workspaceOf(options.workspace);
  const { stages: tools, judge: isJudging } = toolsOf(options.tools);
  const deps = defaultDeps(overrides);
  const running = new Set<Promise<unknown>>();
  const { maxBytes } = options;
  const bounds = { workspace, outside: options.allowOutside };
  const judges = isJudging ? new WorkspaceJudges({ bounds, maxBytes, deps }) : undefined;
  const server = createServer({
    ...{ bounds, tools, judges, maxBytes },
    run: remembered(verbRunner(workspace, deps), running),
    now: () => deps.clock.monotonicMs(),
  });
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
    deps.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.connect(new StdioServerTransport(process.stdin, protocolOutput()));
  const offered = (tools ?? loopNames).length + (judges ? judgeToolNames.length : 0);
  process.stderr.write(`kernloop mcp: ${offered} tools, in ${workspace}\n`);
  await ended;
  // Aborts running stages.
  await server.close();
  await judges?.close();
  await Promise.allSettled(running);
  process.stdin.destroy();
}

function workspaceOf(named: string | undefined): string {
  if (named === undefined) return findWorkspaceRoot(process.cwd());
  const folder = resolve(named);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new KernloopError(
    'USAGE',
    `--workspace: ${folder} is no folder`,
    'name the folder with nx.json, or with the app',
  );
}

/** Stages to offer, undefined for those of the loop, and whether the tools of a judge are offered. */
function toolsOf(named: string | undefined): { stages: readonly StageName[] | undefined; judge: boolean } {
  if (named === undefined) return { stages: undefined, judge: false };
  if (named === 'all') return { stages: stageNames, judge: true };
  const names = named.split(',').map((word) => word.trim());
  return { stages: names.filter((name) => !isJudgeTool(name)).map(stageOf), judge: names.some(isJudgeTool) };
}

function stageOf(name: string): StageName {
  if (isStageName(name)) return name;
  const all = [...stageNames, ...judgeToolNames];
  const [suggestion] = closest(name, all, 1);
  throw new KernloopError(
    'USAGE',
    `--tools: there is no tool "${name}"${suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`}`,
    `there are ${all.join(', ')}, and "all"`,
  );
}

function remembered(run: RunVerb, running: Set<Promise<unknown>>): RunVerb {
  return (...call) => {
    const ended = run(...call);
    running.add(ended);
    const forget = (): void => void running.delete(ended);
    ended.then(forget, forget);
    return ended;
  };
}

/** The only way to stdout: other writes of this process there, even by a loaded module, go to stderr. */
export function protocolOutput(): Writable {
  const { stdout } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = process.stderr.write.bind(process.stderr);
  return new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => void write(chunk, (error) => done(error)),
  });
}
