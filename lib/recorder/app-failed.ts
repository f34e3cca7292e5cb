import { inputHint } from '../app/input';
import type { DeviceDescription } from '../device/device';
import { KernloopError } from '../support/error';
import { describeEnd } from '../support/ndjson';
import type { Note } from './notes';
import { foreignCode } from './foreign-code';
import type { RecordedEnd } from './recorder';

/** A run of the app that ended too early. */
export interface FailedRun {
  app: string;
  program: string;
  /** The app's command as text. */
  command: string;
  device: DeviceDescription;
  appEnd: RecordedEnd;
  notes: readonly Note[];
}

/** Next step after a fault, which the software GPU describes in words. */
export function faultHint(text: string): string {
  if (/(unknown|unsupported) instruction|internal error of the software GPU/.test(text))
    return 'the software GPU lacks this: report it, and compile the app for another target meanwhile';
  if (text.includes('instruction limit reached'))
    return 'a kernel that ends may need more: KERNLOOP_SOFTGPU_MAX_INSTRUCTIONS is the limit';
  return 'mend the kernel, or what the app passes to it (pointers, sizes, grid)';
}

/** Error for an app that failed, with the most useful true reason: a fault, code for another device, or its own. */
export function appFailed(before: string, run: FailedRun, timeoutHint: string): KernloopError {
  const { app, command, appEnd, notes, device } = run;
  const end = describeEnd(command, appEnd);
  const failed = `${app} failed${before}: ${end}`;
  if (appEnd.timedOut) return new KernloopError('APP_FAILED', failed, timeoutHint);
  if (notes.some(({ code }) => code === 'DEVICE_FAULT')) {
    return new KernloopError('DEVICE_FAULT', `a kernel of ${app} faulted${before}: ${end}`, faultHint(end));
  }
  const foreign = foreignCode(run.program, run.device);
  if (foreign) return new KernloopError(foreign.code, `${foreign.what}: ${end}`, foreign.hint);
  const missing = /^(?:ModuleNotFoundError|ImportError): No module named '?([\w.]+)/m.exec(appEnd.stderrTail)?.[1];
  if (missing !== undefined) {
    return new KernloopError(
      'APP_FAILED',
      failed,
      `the Python that ran the app (${run.program}) has no module ${missing}: ${missing === 'kernloop' || missing.startsWith('kernloop.') ? "install Kernloop's wheel there (docs/python.md)" : 'activate the virtual environment that has it'}, or name its python in "command" of kernloop.json`,
    );
  }
  if (/RuntimeError: 0 active drivers/.test(appEnd.stderrTail)) {
    return new KernloopError(
      'APP_FAILED',
      failed,
      device.kind === 'softgpu'
        ? 'Triton found no GPU, and Kernloop could not give it the software GPU, as with `python -I`, -E or -S, or KERNLOOP_TRITON_RECORD=off: leave these out, or run the script by python3 -m kernloop.triton SCRIPT; docs/triton.md says what to install'
        : `Triton found no GPU: run it on the software GPU with \`--device softgpu\`; \`kernloop doctor\` says which GPUs are here`,
    );
  }
  return new KernloopError(
    'APP_FAILED',
    failed,
    tritonHint(run) ??
      `make the app run through by itself first; \`kernloop doctor\` checks the device${inputHint(appEnd)}`,
  );
}

/** Next step of a Python program of Triton on the software GPU, without which it cannot run where there is no GPU. */
function tritonHint({ command, device, appEnd }: FailedRun): string | undefined {
  if (device.kind !== 'softgpu' || !/[/\\]triton[/\\]/.test(appEnd.stderrTail)) return undefined;
  // Options of Python itself would have to stay before -m.
  const alone = command.replace(/((?:^|[\s/])python[\d.]*) (?=-m |[^-])/, '$1 -m kernloop.triton ');
  const isAlone = alone !== command && !command.includes('kernloop.triton');
  const run = isAlone ? alone : command.includes('kernloop.triton') ? command : 'python3 -m kernloop.triton SCRIPT';
  const arrays = appEnd.stderrTail.includes('argument of type: numpy.ndarray')
    ? 'NumPy arrays: pass kernloop.triton.array(x) to the kernel, and read the results in that copy; '
    : '';
  return `${arrays}make it run through on the software GPU first, with \`${run}\` (docs/triton.md)`;
}
