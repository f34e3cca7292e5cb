import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { openApp, selectedKernels, type App } from '../app/app';
import { buildApp } from '../app/build';
import { appIdentity, type AppFile } from '../app/identity';
import { findProgram } from '../app/program';
import { appVariables } from '../app/variables';
import { captureFile } from '../archive/capture-files';
import type { Failure } from '../capture/attempt';
import { captureKernels } from '../capture/capture';
import { keptText } from '../capture/kept-selections';
import { requireOwnPlace } from '../capture/owner';
import type { Device, DeviceDescription } from '../device/device';
import { openDevice } from '../device/open-device';
import { generate } from '../generate/generate';
import { withKnownKernels } from '../profile/known-kernels';
import { reproducerPaths } from '../reproducer/layout';
import { CompiledUnits } from '../toolchain/compiled-units';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { jsonReader } from '../support/lenient-json';
import { ReadOnce } from '../support/read-once';
import { warningOnce } from '../support/report';
import { adopt } from '../adopt/adopt';
import { whyCaptureAgain } from './current-capture';
import { declareCommand } from './declare-command';
import type { ExtractOptions } from './options';
import type { ExtractedKernel, ExtractResult } from './result';
import { sameLaunches } from './same-launch';

/** Captures, generates and adopts each kernel, in this order and without Nx. One run of the app serves all kernels. */
export async function extract(given: ExtractOptions, outer: Deps): Promise<ExtractResult> {
  const deps = { ...outer, report: warningOnce(outer.report) };
  const options = given.command.length > 0 ? await declareCommand(given, deps) : given;
  // A command may just have been declared there.
  const app = openApp(options.app, given.command.length > 0 ? undefined : deps.opened);
  const names = withKnownKernels(app, deps.env, () => selectedKernels(app, options.kernel, deps.report));
  for (const name of names) requireOwnPlace(app, name);
  if (options.build) await buildApp(app, deps);
  const device = await openDevice(options, deps);
  const files = await currentFiles(app, names, device, deps);
  const again = new Map<string, Again>();
  for (const name of names) {
    const needed = needsCapture(app, name, device.description, files, options, deps);
    if (needed) again.set(name, needed);
  }
  const missing = [...again.keys()];
  const captured =
    missing.length === 0
      ? null
      : await captureKernels(app, { ...options, app: app.root, kernel: missing, build: false, dryRun: false }, deps);
  const failures = captured?.failures ?? [];
  const kernels: ExtractedKernel[] = [];
  // The captures stay as they are from here on.
  const known = { app, units: new CompiledUnits(), files: new ReadOnce() };
  const read = jsonReader(known.files.jsonIn);
  for (const name of names.filter((wanted) => !failures.some((failure) => failure.name === wanted))) {
    const capture = captured?.captures.find((done) => done.name === name) ?? null;
    const { replaces } = again.get(name) ?? {};
    if (replaces !== undefined)
      deps.report.result(`${name}: ${shown(app.capture(name))} replaces the capture that was there: ${replaces}`);
    kernels.push({ name, capture, ...(await makeReproducer(known, name, options, deps)) });
    for (const line of sameLaunches(app, name, read)) deps.report.warn(line);
  }
  if (failures.length > 0) throw withProgress(failures, kernels);
  if (given.command.length > 0) for (const kernel of kernels) printNext(kernel, app, deps);
  return { app: app.config.name, kernels, exit_code: captured?.exit_code ?? 0 };
}

async function makeReproducer(
  known: { app: App; units: CompiledUnits; files: ReadOnce },
  name: string,
  options: ExtractOptions,
  deps: Deps,
): Promise<Pick<ExtractedKernel, 'reproducer' | 'generated' | 'adopted'>> {
  const { translationUnit, define, language, compileLimitSeconds, reset } = options;
  const { app } = known;
  const { root } = reproducerPaths(app.reproducer(name));
  const generated = await generate(
    { app: app.root, kernel: name, translationUnit, define, language, compileLimitSeconds },
    deps,
    known,
  );
  const adopted = await adopt({ reproducer: root, reset }, deps);
  return { reproducer: root, generated, adopted };
}

function printNext(
  { name, reproducer, generated: { files, no_source: noSource } }: ExtractedKernel,
  app: App,
  deps: Deps,
): void {
  const folder = shown(reproducer);
  const edited = files.find((file) => file.startsWith('kernel_variant.'));
  if (noSource !== null && noSource.code !== 'SOURCE_TRITON' && app.config.build === undefined) {
    const option = app.root === process.cwd() ? '' : `--app ${relative(process.cwd(), app.root)} `;
    deps.report.result(
      `To recompile it, have a build of all of it watched (make clean; kernloop watch-build ${option}-- make, or what else builds it), with "source" of kernloop.json the folder of its sources; then: kernloop extract ${option}${name}`,
    );
  }
  deps.report.result(
    edited === undefined
      ? `Next, replay the captured code: kernloop validate ${folder}`
      : `Next, edit ${join(folder, edited)}, then: kernloop validate ${folder}`,
  );
}

/** Files that the app runs now; empty if nothing was captured, because then nobody compares them. */
async function currentFiles(app: App, names: readonly string[], device: Device, deps: Deps): Promise<AppFile[]> {
  if (!names.some((name) => existsSync(captureFile(app.capture(name))))) return [];
  const variables = appVariables(app, device, deps);
  return (await appIdentity(app, findProgram(app, deps.env), variables, deps)).files;
}

/** A capture that is to be taken; `replaces`: why, if there is one already. */
interface Again {
  readonly replaces?: string;
}

function needsCapture(
  app: App,
  name: string,
  device: DeviceDescription,
  files: readonly AppFile[],
  options: ExtractOptions,
  deps: Deps,
): Again | null {
  const isOther = app.kernel(name).from !== undefined;
  const kept = options.recapture && !isOther ? null : keptText(app, name);
  if (kept !== null) {
    if (options.recapture) throw new KernloopError('USAGE', kept, 'leave --recapture out, or remove "from"');
    deps.report.result(kept);
    return null;
  }
  const reason = options.recapture
    ? 'asked to capture again'
    : whyCaptureAgain(app, app.kernel(name), device, files, options, deps);
  const there = captureFile(app.capture(name));
  if (reason === null)
    deps.report.result(`${name}: ${shown(dirname(there))} is up to date and kept: the same program, launch and device`);
  else if (existsSync(there)) deps.report.info(`${name}: capturing again: ${reason}`);
  return reason !== null ? (existsSync(there) ? { replaces: reason } : {}) : null;
}

/** The error of the first kernel, with those of the others and the next steps of all. */
function withProgress(failures: readonly Failure[], kernels: readonly ExtractedKernel[]): KernloopError {
  const [first, ...others] = failures.map(({ name, error }) =>
    error.what.startsWith(`${name}:`) ? error.what : `${name}: ${error.what}`,
  );
  const done = kernels.length > 0 ? `; extracted: ${kernels.map((kernel) => kernel.name).join(', ')}` : '';
  const [cause] = failures.map(({ error }) => error);
  const what = [first, ...others.map((other) => `also: ${other}`)].join('\n') + done;
  const hints = [...new Set(failures.map(({ error }) => error.hint))];
  return new KernloopError(cause?.code ?? 'CAPTURE_REFUSED', what, hints.join('\n'), { cause });
}

const shown = (path: string): string => relative(process.cwd(), path) || '.';
