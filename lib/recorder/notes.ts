import { KernloopError } from '../support/error';
import { isErrorCode } from '../support/error-codes';

/** What an agent or the recorder told beside the events of a selection. */
export interface Note {
  code: string;
  text: string;
}

/** Of an agent that was loaded but could not work: the runtime, the driver or CUPTI failed it. */
const declining = /^(CUPTI_|ENVIRONMENT_|RUNTIME_UNSUPPORTED$)/;

/** Why no process could be looked into, where an agent said so. */
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

/** Of a child that went on with its parent's GPU: what it launched was seen by nobody. */
export function forkedAfterInit(notes: readonly Note[]): KernloopError | undefined {
  const note = notes.find(({ code }) => code === 'FORKED_AFTER_INIT');
  if (!note) return undefined;
  return new KernloopError(
    'FORKED_AFTER_INIT',
    note.text,
    'let the child start the GPU by itself: fork before the parent uses the GPU, or start the child as a program of its own (posix_spawn; in Python, multiprocessing with "spawn")',
  );
}

/** The app closed the agent's descriptors with all others: its later launches were not seen. */
export function descriptorsClosed(notes: readonly Note[]): KernloopError | undefined {
  const note = notes.find(({ code }) => code === 'DESCRIPTORS_CLOSED');
  if (!note) return undefined;
  return new KernloopError(
    'DESCRIPTORS_CLOSED',
    note.text,
    'let the program close descriptors before it uses the GPU, or capture an earlier dispatch with --dispatch',
  );
}

/** Kernels that were launched as nodes of graphs; the first word of such a note is the kernel's symbol. */
export function launchedInGraphs(notes: readonly Note[], wanted: (symbol: string) => boolean): Note | undefined {
  return notes.find(({ code, text }) => code === 'GRAPH_LAUNCH' && wanted(text.split(' ', 1)[0] ?? ''));
}
