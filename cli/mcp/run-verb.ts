import { join } from 'node:path';
import { z } from 'zod';
import type { Deps } from '../../lib/deps/deps';
import { verbWords, type StageName } from '../../lib/stages/registry';
import { isErrorCode } from '../../lib/support/error-codes';
import { KernloopError } from '../../lib/support/error';
import { LineSplitter } from '../../lib/support/lines';
import { describeEnd } from '../../lib/support/ndjson';
import { reportEventSchema, type ReportEvent } from '../../lib/support/report-events';
import { packageRoot } from '../../lib/support/version';

/** A larger result is a mistake. */
const maxDocumentBytes = 256 * 1024 * 1024;

/** Time for an interrupted process to clean up; it stops its own programs after 3 s. */
const graceMs = 30_000;

const documentSchema = z.union([
  z.object({ exit_code: z.int(), result: z.unknown() }),
  z.object({ exit_code: z.int(), error: z.object({ code: z.string(), message: z.string(), hint: z.string() }) }),
]);

interface VerbEnded {
  readonly exitCode: number;
  readonly result: unknown;
}

export type RunVerb = (
  verb: StageName,
  words: readonly string[],
  onEvent: (event: ReportEvent) => void,
  signal: AbortSignal,
) => Promise<VerbEnded>;

/**
 * Runs a verb as a separate process in the workspace: its output can never mix with messages of the protocol, and
 * SIGINT cancels it. Throws its errors.
 */
export function verbRunner(workspace: string, deps: Deps): RunVerb {
  return async (verb, words, onEvent, signal) => {
    if (signal.aborted) throw interrupted(verb);
    let document = '';
    const lines = new LineSplitter((line) => onEvent(eventOf(line)));
    const program = join(packageRoot, 'bin', 'kernloop.js');
    const running = deps.run(process.execPath, [program, ...verbWords(verb), '--json', ...words], {
      cwd: workspace,
      env: { KERNLOOP_PROGRESS: 'json' },
      parentDeathSignal: 'SIGTERM',
      onStdout: (chunk) => {
        document += chunk;
        if (document.length > maxDocumentBytes) running.kill('SIGKILL');
      },
      onStderr: (chunk) => lines.push(chunk),
    });
    let timer: NodeJS.Timeout | undefined;
    const cancel = (): void => {
      running.kill('SIGINT');
      timer = setTimeout(() => running.kill('SIGKILL'), graceMs);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const ended = await running.result;
      lines.end();
      if (signal.aborted) throw interrupted(verb);
      const parsed = documentSchema.safeParse(jsonOf(document));
      if (!parsed.success) {
        const end = describeEnd(`kernloop ${verbWords(verb).join(' ')}`, ended);
        throw new KernloopError('INTERNAL_ERROR', `${end} without a result`, 'this is a bug in Kernloop: report it');
      }
      if ('error' in parsed.data) {
        const { code, message, hint } = parsed.data.error;
        throw new KernloopError(isErrorCode(code) ? code : 'INTERNAL_ERROR', message, hint);
      }
      return { exitCode: parsed.data.exit_code, result: parsed.data.result };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    }
  };
}

function interrupted(verb: StageName): KernloopError {
  return new KernloopError('INTERRUPTED', `${verb} was cancelled`, 'nothing was left half-written; call it again');
}

/** A line that is no event is output of Node itself, or of a crash. */
function eventOf(line: string): ReportEvent {
  const parsed = reportEventSchema.safeParse(jsonOf(line));
  return parsed.success ? parsed.data : { event: 'output', text: `${line}\n` };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
