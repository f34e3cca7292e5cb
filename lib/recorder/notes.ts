import { KernloopError } from '../support/error';
import { isErrorCode } from '../support/error-codes';

/** A message of an agent or the recorder besides the events of a selection. */
export interface Note {
  code: string;
  text: string;
}

/** Codes of an agent that was loaded but could not work, because the runtime, the driver or CUPTI failed. */
const declining = /^(CUPTI_|ENVIRONMENT_|RUNTIME_UNSUPPORTED$)/;

/** Reason why no process could be observed, if an agent reported one. */
export function agentDeclined(notes: readonly Note[]): KernloopError | undefined {
  const note = notes.find(({ code }) => declining.test(code));
  if (!note) return undefined;
  return new KernloopError(
    isErrorCode(note.code) ? note.code : 'AGENT_FAILED',
    `the capture agent could not work inside the app: ${note.text}`,
    note.code === 'CUPTI_TAKEN'
      ? 'run the app without its profiler (Nsight, compute-sanitizer, the profiler of PyTorch)'
      : '`kernloop doctor` says what this machine has',
  );
}

/** Error for a child process that used its parent's GPU: nobody saw its launches. */
export function forkedAfterInit(notes: readonly Note[]): KernloopError | undefined {
  const note = notes.find(({ code }) => code === 'FORKED_AFTER_INIT');
  if (!note) return undefined;
  return new KernloopError(
    'FORKED_AFTER_INIT',
    note.text,
    'let the child start the GPU by itself: fork before the parent uses the GPU, or start the child as a program of its own (posix_spawn; in Python, multiprocessing with "spawn")',
  );
}

/** Error for an app that closed the agent's descriptors with all others: its later launches were not seen. */
export function descriptorsClosed(notes: readonly Note[]): KernloopError | undefined {
  const note = notes.find(({ code }) => code === 'DESCRIPTORS_CLOSED');
  if (!note) return undefined;
  return new KernloopError(
    'DESCRIPTORS_CLOSED',
    note.text,
    'let the program close descriptors before it uses the GPU, or capture an earlier dispatch with --dispatch',
  );
}

/** Kernels launched as graph nodes; the first word of such a note is the kernel's symbol. */
export function launchedInGraphs(notes: readonly Note[], wanted: (symbol: string) => boolean): Note | undefined {
  return notes.find(({ code, text }) => code === 'GRAPH_LAUNCH' && wanted(text.split(' ', 1)[0] ?? ''));
}
