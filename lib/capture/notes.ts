import { KernloopError } from '../support/error';
import { isErrorCode } from '../support/error-codes';

/** What an agent or the recorder told beside the events of a selection. */
export interface Note {
  code: string;
  text: string;
}

/** Of an agent that was loaded but could not work: the driver or CUPTI failed it. */
const declining = /^(CUPTI|ENVIRONMENT)_/;

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

/** Kernels that were launched as nodes of graphs; the first word of such a note is the kernel's symbol. */
export function launchedInGraphs(notes: readonly Note[], wanted: (symbol: string) => boolean): Note | undefined {
  return notes.find(({ code, text }) => code === 'GRAPH_LAUNCH' && wanted(text.split(' ', 1)[0] ?? ''));
}
