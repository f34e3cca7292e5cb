import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { App } from '../app/app';
import { appAt, otherApp } from '../app/command-app';
import { inputHint } from '../app/input';
import { agentDeclined, descriptorsClosed, forkedAfterInit } from '../recorder/notes';
import { appProcesses } from '../recorder/processes';
import { appFailed, faultHint, type FailedRun } from '../recorder/app-failed';
import type { Note } from '../recorder/notes';
import { foreignCode } from '../recorder/foreign-code';
import type { KernelProfileRow, SummaryEvent } from '../recorder/recorder-events';
import type { WorkUnit } from '../device/device';
import { deviceWords } from '../device/words';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { commandText } from '../support/command-text';
import { jsonText } from '../support/files';
import { kernloopFile } from '../support/project-file-names';
import { requireOwnFile, writeOutput, writeOwnJson, type OwnFormat } from '../support/output-file';
import { rebuildHint } from '../support/ndjson';
import type { ProfileOptions } from './options';
import type { KernelProfile, LaunchFigures, Profile } from './profile-json';
import { isOfApp, nameOf } from './launched-kernels';
import { observe, timeHint, type Observed } from './observe';
import { printProfile } from './profile-text';
import type { DeviceKind } from '../device/kinds';

export const profileFormat: OwnFormat = { schema: 'kernloop.profile' };

/** Runs the app once with every dispatch measured, and ranks its kernels. */
export async function profile(options: ProfileOptions, deps: Deps): Promise<Profile> {
  const app = appAt(options, deps.env);
  const other = otherApp(options);
  // A profile of another command would be taken for that of the app.
  const file = options.output === undefined && other === undefined ? app.profile : undefined;
  if (file !== undefined) requireOwnFile(file, profileFormat);
  const result = await measure(app, options, deps);
  if (file !== undefined) writeOwnJson(file, result, profileFormat);
  if (options.output !== undefined) writeOutput(resolve(options.output), jsonText(result), deps.env);
  printProfile(result, options.top, deps);
  if (options.command.length > 0) printNext(result, options, deps);
  if (other !== undefined && options.output === undefined)
    deps.report.info(
      `not kept: ${kernloopFile} here runs ${commandText(other.config.command)}; --output FILE keeps it`,
    );
  return result;
}

/** Runs the app once with every dispatch measured. A command is run as it is, without a build. */
async function measure(app: App, { top, ...options }: ProfileOptions, deps: Deps): Promise<Profile> {
  const observed = await observe(app, options, deps);
  const { run, summary, fault } = observed;
  if (run.appEnd.exitCode !== 0) {
    // They are of a part of a run, which nothing keeps.
    if (!run.appEnd.timedOut && fault === undefined && isAllMeasured(summary)) {
      const launched = profileOf(observed, { launches: false });
      printProfile(launched, top, deps);
      if (options.command.length > 0) printNext(launched, options, deps);
      const { code, what } = appFailed(' after these launches', run, timeHint);
      throw new KernloopError(code, what, 'they can be captured and extracted all the same; the profile is not kept');
    }
    const seen = run.appEnd.timedOut ? 0 : (summary?.dispatches ?? 0);
    const error = appFailed(seen === 0 ? '' : whileMeasured(summary), run, timeHint);
    if (seen === 0 || error.code !== 'APP_FAILED') throw error;
    const { code, what, hint } = error;
    throw new KernloopError(
      code,
      what,
      `run it again; \`extract -k\` with a kernel's name works all the same; ${hint}`,
    );
  }
  requireNoFault(observed);
  return profileOf(observed, options);
}

/** Refuses a run that went on after a kernel of it faulted. */
function requireNoFault({ run, fault }: Pick<Observed, 'run' | 'fault'>): void {
  if (fault) throw faultOf(run, fault);
}

const measuredIn = (summary: SummaryEvent | undefined): number =>
  (summary?.kernel_profile ?? []).reduce((sum, { dispatches }) => sum + dispatches, 0);

const whileMeasured = (summary: SummaryEvent | undefined): string =>
  ` before all of its launches were measured (${measuredIn(summary)} of ${summary?.dispatches ?? 0})`;

/** Whether every launch that the agent saw has its measurement: a killed app may lack those of the last ones. */
export function isAllMeasured(summary: SummaryEvent | undefined): boolean {
  const measured = measuredIn(summary);
  return measured > 0 && measured === summary?.dispatches;
}

export const faultOf = ({ app }: Pick<FailedRun, 'app'>, { text }: Pick<Note, 'text'>): KernloopError =>
  new KernloopError('DEVICE_FAULT', `a kernel of ${app} faulted: ${text}`, faultHint(text));

/** The profile of a run of which every dispatch was measured; throws if one was not. */
export function profileOf({ run, summary, work }: Observed, { launches }: Pick<ProfileOptions, 'launches'>): Profile {
  const rows = measuredKernels(run, summary);
  const { kind, identity } = run.device;
  const processes = appProcesses(summary);
  const ranked = rank(rows, work);
  return {
    schema: 'kernloop.profile/1',
    app: run.app,
    device: { kind, identity },
    work,
    processes: summary?.processes ?? 0,
    ...ranked,
    ...(launches ? { launches: launchesOf(summary, rows, ranked.kernels, kind) } : {}),
    ...(processes.length > 1 ? { per_process: processes } : {}),
  };
}

/** Command that makes the costliest kernel a project. */
function printNext({ kernels }: Profile, { command, app }: Pick<ProfileOptions, 'command' | 'app'>, deps: Deps): void {
  const [costliest] = kernels.filter(isOfApp);
  if (costliest === undefined) return;
  const folder = app === '.' ? '' : `--app ${app} `;
  deps.report.result(
    `Next, make a kernel a project: kernloop extract ${folder}-k ${commandText([nameOf(costliest, kernels)])} -- ${commandText(command)}`,
  );
}

function measuredKernels(
  { app, program, device, notes, appEnd }: FailedRun,
  summary: SummaryEvent | undefined,
): KernelProfileRow[] {
  const { runtime, queues, loadHint } = deviceWords(device.kind);
  if (!summary) throw new KernloopError('NATIVE_FAILED', 'kernloop-recorder ended without a summary', rebuildHint);
  if (summary.processes === 0) {
    throw new KernloopError(
      'NO_AGENT',
      `${app} never loaded ${runtime}, so no kernel of it could be seen`,
      loadHint + inputHint(appEnd),
    );
  }
  const declined = summary.dispatches === 0 ? (agentDeclined(notes) ?? forkedAfterInit(notes)) : undefined;
  if (declined) throw declined;
  const closed = descriptorsClosed(notes);
  if (closed) throw closed;
  const foreign = summary.dispatches === 0 ? foreignCode(program, device) : undefined;
  if (foreign) throw new KernloopError(foreign.code, `${foreign.what}: ${app} launched no kernel`, foreign.hint);
  if (summary.dispatches === 0) {
    throw new KernloopError(
      'NO_DISPATCH',
      `${app} launched no kernel (${summary.queues} ${queues})`,
      `check that the app reaches its kernels with these arguments${inputHint(appEnd)}`,
    );
  }
  // A process that ends by _exit does not wait for the last ones.
  if (measuredIn(summary) !== summary.dispatches) {
    throw new KernloopError(
      'NATIVE_FAILED',
      `${app} ended${whileMeasured(summary)}`,
      'run it again; a program that ends by _exit does not wait for launches that it never synchronised with',
    );
  }
  return summary.kernel_profile ?? [];
}

/** Times at which kernels ran, if the device reports them, each with its kernel's index in the profile. */
function launchesOf(
  summary: SummaryEvent | undefined,
  rows: readonly KernelProfileRow[],
  kernels: readonly KernelProfile[],
  kind: DeviceKind,
): NonNullable<Profile['launches']> {
  const { rows: launches = [], left_out = 0 } = summary?.kernel_launches ?? {};
  if (launches.length === 0) {
    throw new KernloopError(
      'USAGE',
      `${kind} does not say when its kernels ran`,
      'leave --launches out: only launches on CUDA devices are timed',
    );
  }
  const places = rows.map(({ symbol, code_object }) =>
    kernels.findIndex((kernel) => kernel.symbol === symbol && kernel.code_object === code_object),
  );
  return {
    boot: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    left_out,
    rows: launches.map(({ kernel, start_ns, end_ns, device, stream }) => ({
      kernel: places[kernel] ?? 0,
      start_ns,
      end_ns,
      device,
      stream,
    })),
  };
}

function rank(rows: readonly KernelProfileRow[], work: WorkUnit): Pick<Profile, 'dispatches' | 'total' | 'kernels'> {
  for (const { name, unit } of rows) {
    if (unit === work) continue;
    throw new KernloopError('NATIVE_FAILED', `${name} was measured in ${unit} instead of ${work}`, rebuildHint);
  }
  const total = rows.reduce((sum, row) => sum + row.total, 0);
  const kernels = rows
    .map(
      ({ name, symbol, code_object, dispatches, total: own, min, p10, median, p90, max, ...rest }): KernelProfile => {
        const share = total > 0 ? own / total : 0;
        const percentiles = { ...(p10 === undefined ? {} : { p10 }), ...(p90 === undefined ? {} : { p90 }) };
        const geometries = rest.geometries.map(({ grid_blocks, block_threads, dispatches: count, ...figures }) => ({
          grid_blocks,
          block_threads,
          dispatches: count,
          ...launchFigures(figures),
        }));
        const statistics = { share, total: own, min, median, max, ...percentiles };
        return { name, symbol, code_object, dispatches, ...statistics, ...launchFigures(rest), geometries };
      },
    )
    .sort((a, b) => b.total - a.total || a.name.localeCompare(b.name));
  return { dispatches: rows.reduce((sum, row) => sum + row.dispatches, 0), total, kernels };
}

/** Copies known figures only: a newer recorder may add others. */
function launchFigures(row: LaunchFigures): LaunchFigures {
  return Object.fromEntries(figureNames.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]]])));
}

const figureNames = [
  'registers_per_thread',
  'static_shared_bytes',
  'dynamic_shared_bytes',
  'local_bytes_per_thread',
  'resident_blocks_per_multiprocessor',
  'occupancy_percent',
] as const satisfies readonly (keyof LaunchFigures)[];
