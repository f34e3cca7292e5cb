import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replayOnce, type ReplayRequest } from '../replay/program';
import { requestOfCaptured, type ReplaySession } from '../replay/session';
import type { Deps } from '../deps/deps';
import { KernloopError, systemCode } from '../support/error';
import { exitCodes } from '../support/error-codes';
import { compilerCandidates } from '../toolchain/find-compiler';
import type { ValidateOptions } from './options';
import type { DispatchReport } from './report-json';
import { parseSanitizerLog, sanitizerTools, type SanitizerReport, type SanitizerTool } from './sanitizer-report';

/** Factor on the replay's time limit, because the tools slow kernels down. */
const slowdown = 20;
/**
 * Minimum time until a run of a tool counts as hung, as a multiple of the replay's limit. initcheck deadlocks now and
 * then (2 of 130 runs on an H100), before or after the kernel, where the replay's own limit does not hold.
 */
const leastLimits = 2;
const findingsShown = 1000;
const maxLogBytes = 16 * 1024 * 1024;

/** compute-sanitizer, with the tools that are requested. */
export interface Sanitizer {
  program: string;
  tools: readonly SanitizerTool[];
  /** Least time after which a run counts as hung. */
  leastMs: number;
}

/** Null if no tool is requested; checked before anything runs. */
export function requireSanitizer(options: ValidateOptions, deps: Deps): Sanitizer | null {
  const tools = sanitizerTools.filter((each) => options[each]);
  const [tool] = tools;
  if (tool === undefined) return null;
  const [program] = compilerCandidates('compute-sanitizer', deps.env);
  if (program !== undefined) return { program, tools, leastMs: options.limitSeconds * 1000 * leastLimits };
  throw new KernloopError(
    'ENVIRONMENT_TOOL_MISSING',
    `--${tool} needs compute-sanitizer, which is neither on the PATH nor in CUDA_HOME`,
    'install it (apt-get install cuda-sanitizer-13-0, part of the CUDA toolkit), or set CUDA_HOME',
  );
}

/**
 * Replays the variant once more under each tool. Findings whose kind the captured code does not have are failures
 * whatever memory contains: such a kernel is right only by chance. `plainMs` is how long the replays without tool took.
 */
export async function sanitize(
  report: DispatchReport,
  session: ReplaySession,
  sanitizer: Sanitizer | null,
  plainMs: number,
  deps: Deps,
): Promise<DispatchReport> {
  if (sanitizer === null || report.verdict === 'fault' || report.verdict === 'limit') return report;
  const { program, tools, leastMs } = sanitizer;
  const limited = { program, limitMs: Math.max(plainMs * slowdown, leastMs) };
  const checks: NonNullable<DispatchReport['sanitizer']> = [];
  for (const tool of tools) checks.push(await check(tool, session, limited, deps));
  const fresh = checks.flatMap(({ tool, findings }) =>
    findings.filter(({ in_captured: known }) => !known).map((finding) => ({ tool, ...finding })),
  );
  const [first] = fresh;
  const sanitized = { ...report, sanitizer: checks };
  if (first) {
    const more = fresh.length > 1 ? ` and ${fresh.length - 1} more kinds` : '';
    const found = `${first.tool} found what the captured code has not: ${first.kind} (${first.text})${more}`;
    return { ...sanitized, verdict: 'fail', exit_code: exitCodes.fail, summary: `${found}; ${report.summary}` };
  }
  const said = checks.map(({ tool, findings }) =>
    findings.length === 0
      ? `${tool} found nothing`
      : `${tool} found only what the captured code has too (${findings.map(({ kind }) => kind).join(', ')}), which is not judged`,
  );
  return { ...sanitized, summary: `${report.summary}; ${said.join('; ')}` };
}

interface Limited {
  program: string;
  /** Time after which a run counts as hung. */
  limitMs: number;
}

async function check(
  tool: SanitizerTool,
  session: ReplaySession,
  sanitizer: Limited,
  deps: Deps,
): Promise<NonNullable<DispatchReport['sanitizer']>[number]> {
  const { findings } = await replayUnder(tool, session.request, session, sanitizer, deps);
  const isVariant = session.code.kind === 'variant' && findings.length > 0;
  const known = isVariant
    ? (await replayUnder(tool, requestOfCaptured(session), session, sanitizer, deps)).findings
    : findings;
  const kinds = new Set(known.map(({ kind }) => kind));
  return { tool, findings: findings.map((finding) => ({ ...finding, in_captured: kinds.has(finding.kind) })) };
}

/** Runs the tool once more if it hangs. */
async function replayUnder(
  tool: SanitizerTool,
  request: ReplayRequest,
  session: ReplaySession,
  sanitizer: Limited,
  deps: Deps,
): Promise<SanitizerReport> {
  const report =
    (await attempt(tool, request, session, sanitizer, deps)) ??
    (await attempt(tool, request, session, sanitizer, deps));
  if (report !== null) return report;
  throw failed(
    tool,
    `it hung twice, for ${Math.round(sanitizer.limitMs / 1000)} s each`,
    'run the command again; raise --limit-seconds if the tool only needs longer (it has at least twice that); without the option, memory alone is compared',
  );
}

/** Null if the tool hung; its processes are then killed. */
async function attempt(
  tool: SanitizerTool,
  request: ReplayRequest,
  session: ReplaySession,
  { program, limitMs }: Limited,
  deps: Deps,
): Promise<SanitizerReport | null> {
  const folder = mkdtempSync(join(tmpdir(), 'kernloop-sanitizer-'));
  try {
    // A log file, because the kernel's output could look like a report.
    const log = join(folder, 'log');
    const args = ['--tool', tool, '--log-file', log, '--print-limit', String(findingsShown), '--show-backtrace', 'no'];
    let hung = false;
    const under: Deps = {
      ...deps,
      run: (file, own, options) => {
        const env = { ...options?.env, KERNLOOP_CUPTI: 'off' };
        const running = deps.run(program, [...args, file, ...own], { ...options, env, timeoutMs: limitMs });
        const result = running.result.then((ended) => {
          hung = ended.timedOut;
          return ended;
        });
        return { ...running, result };
      },
    };
    const limitSeconds = request.limitSeconds === undefined ? {} : { limitSeconds: request.limitSeconds * slowdown };
    // Padding stays unwritten, so that initcheck reports reads beside captured memory.
    const leavePadding = tool === 'initcheck' && request.guard !== true;
    const outcome = await replayOnce(
      { ...request, ...limitSeconds, leavePadding, iterations: 1, warmup: 0 },
      session.device,
      under,
    ).catch((error: unknown) => {
      if (!(error instanceof KernloopError) || error.code === 'INTERRUPTED') throw error;
      if (hung) return null;
      throw failed(tool, `${error.what}\n${logIn(log)?.slice(-2000) ?? ''}`.trim());
    });
    if (hung || outcome === null) return null;
    const text = logIn(log);
    if (text === null) throw failed(tool, 'it wrote no report');
    const report = parseSanitizerLog(text);
    if (report.summary === null) throw failed(tool, report.trouble ?? 'its report has no summary');
    if (report.findings.length > 0) return report;
    const { verdict, reason } = outcome.result;
    if (verdict !== 'ran')
      throw failed(tool, `the replay under it ended with "${verdict}"${reason ? `: ${reason}` : ''}`);
    if (report.summary > 0 || report.trouble !== null)
      throw failed(tool, report.trouble ?? `it counts ${report.summary}, but its report names none`);
    return report;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Null if there is no log. */
function logIn(path: string): string | null {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(maxLogBytes);
      const read = readSync(file, bytes);
      // A truncated log must not count as complete, which its last line would show.
      if (read === maxLogBytes)
        return bytes
          .subarray(0, read)
          .toString('latin1')
          .replaceAll(/SUMMARY:/g, 'SUMMARY');
      return bytes.subarray(0, read).toString('latin1');
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function failed(
  tool: SanitizerTool,
  why: string,
  hint = 'see whether `compute-sanitizer` of this CUDA version runs on this GPU and driver; without the option, memory alone is compared',
): KernloopError {
  return new KernloopError('SANITIZER_FAILED', `compute-sanitizer --tool ${tool} judged nothing: ${why}`, hint);
}
