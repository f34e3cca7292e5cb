import { stopAll } from './exec';

/** Time for a stopped child to clean up before it is killed. */
const graceMs = 3000;

let controller: AbortController | undefined;

/** Returns the signal of this process: the first SIGINT, SIGTERM or SIGHUP stops every child and aborts it. */
export function interruption(): AbortSignal {
  if (controller) return controller.signal;
  const created = new AbortController();
  controller = created;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      created.abort(name);
      stopAll('SIGTERM');
      setTimeout(() => stopAll('SIGKILL'), graceMs).unref();
    });
  }
  return created.signal;
}
