import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import type { App } from '../app/app';
import { freeName } from '../app/free-name';
import { openableApps } from '../app/openable-apps';
import { captureFile, readCapture, type CaptureJson } from '../archive/capture-files';
import { reproducersIn } from '../reproducer/reproducers-in';
import { parseDemangledName } from '../source/demangled-name';
import { commandText } from '../support/command-text';
import { KernloopError } from '../support/error';
import { sha256OfFile } from '../support/files';
import { escaped, expressionOf } from '../support/patterns';
import { kernelFile } from '../support/project-file-names';
import { findUpward, findWorkspaceRoot } from '../support/workspace-root';

/**
 * Lines on what a capture is for, once it is unpacked from `file`. Only a project can replay it, so the commands that
 * make one are named, those of an app that declares the kernel if it is here.
 */
export function nextStep(folder: string, file: string): string[] {
  try {
    return linesOn(folder, file);
  } catch (error) {
    // The capture is there all the same.
    if (error instanceof KernloopError) return [];
    throw error;
  }
}

function linesOn(folder: string, file: string): string[] {
  const reproducer = dirname(folder);
  if (basename(folder) === 'capture' && existsSync(join(reproducer, kernelFile)))
    return [`Next, replay it here: ${commandText(['kernloop', 'validate', shown(reproducer)])}`];
  const capture = readCapture(folder);
  const apps = openableApps(findWorkspaceRoot(process.cwd()));
  const there = apps.flatMap((app) => app.config.kernels.map(({ name }) => ({ app, name })));
  const own = there.find(({ app, name }) => app.capture(name) === folder);
  if (own) {
    const isNamed = own.app.kernel(own.name).from !== undefined;
    return [
      `Next, make it a project: ${making(own.app, own.name)}`,
      ...(isNamed
        ? []
        : [
            `Git ignores captures: so that a clone does not capture ${own.app.config.name} in its place, add "from": ${JSON.stringify(basename(file))} to the entry of ${own.name} in kernloop.json`,
          ]),
    ];
  }
  const what = `It is a capture of ${capture.kernel.name} on ${capture.device.kind}`;
  const project = projectOf(folder);
  if (project !== undefined)
    return [
      `${what}, the very one that ${shown(project)} has.`,
      `Next, replay it there: ${commandText(['kernloop', 'validate', shown(project)])}`,
    ];
  const fitting = there.filter(({ app, name }) => isOf(app, name, capture));
  const known = fitting.find(({ app, name }) => isFree(app.capture(name), folder)) ?? fitting[0];
  const app =
    known?.app ??
    apps.find(({ config }) => config.name === capture.app.name) ??
    apps.find((app) => isHere(app, capture));
  const name = known?.name ?? parseDemangledName(capture.kernel.name).base;
  const without = `${what}, without a project: nothing here can replay it yet.`;
  if (app === undefined)
    return [without, `Next, ${declaring(capture, name)} && ${unpackingThere(capture, name, file)}`];
  const isDeclared = app.config.kernels.some((kernel) => kernel.name === name);
  if ((isDeclared && !known) || !isFree(app.capture(name), folder))
    return [without, `Next, ${declaringBeside(app, capture, name, file)}`];
  const declare = known ? [] : [commandText(['kernloop', 'declare', name, ...appOption(app)])];
  const steps = [...declare, unpackingTo(app, name, file)];
  return [without, `Next, make it a project of ${app.config.name}: ${steps.join(' && ')}`];
}

/** The project of the workspace that has the same capture. */
function projectOf(folder: string): string | undefined {
  const digest = sha256OfFile(captureFile(folder));
  return reproducersIn(findWorkspaceRoot(process.cwd())).find((root) => {
    const there = captureFile(join(root, 'capture'));
    return existsSync(there) && sha256OfFile(there) === digest;
  });
}

const unpackingTo = (app: App, name: string, file: string): string =>
  commandText(['kernloop', 'unpack', file, '--to', shown(app.capture(name))]);

/** Whether a capture can be unpacked into the place: nothing is there, or the same capture. */
function isFree(place: string, capture: string): boolean {
  if (!existsSync(place)) return true;
  const [there, own] = [captureFile(place), captureFile(capture)];
  return existsSync(there) ? sha256OfFile(there) === sha256OfFile(own) : readdirSync(place).length === 0;
}

/** The captured launch under a name of its own, where that of the kernel means another one or has another capture. */
function declaringBeside(app: App, capture: CaptureJson, name: string, file: string): string {
  const { kernels } = app.config;
  const own = freeName(app, name);
  const [byName, bySymbol] = [escaped(capture.kernel.name), escaped(capture.kernel.symbol)];
  // Two kernels of an app with one selection are refused.
  const patterns = [`^${byName}$`, `^${bySymbol}$`, `^(${byName}|${bySymbol})$`];
  const match = patterns.find((pattern) => kernels.every((kernel) => kernel.match !== pattern)) ?? `^${byName}$`;
  const { ordinal } = capture.dispatch;
  const { mode } = capture.scope;
  const selection = [
    ...(ordinal === 1 ? [] : ['--ordinal', `${ordinal}`]),
    ...(mode === 'all' ? ['--scope', mode] : []),
  ];
  const declare = commandText([
    'kernloop',
    'declare',
    own,
    ...appOption(app),
    '--match',
    match,
    ...selection,
    '--from',
    file,
  ]);
  return `make it a project of ${app.config.name} beside ${name}, which has another capture or kernel: ${declare} && ${unpackingTo(app, own, file)}`;
}

/** Declaration of the app under the name that it had, because `init` would take that of the folder. */
function declaring({ app }: CaptureJson, kernel: string): string {
  const command = commandIn(app);
  const init = ['kernloop', 'init', '--name', app.name ?? kernel, '--kernel', kernel];
  return `in the sources of its app${app.name === undefined ? '' : ` (${app.name})`}: ${commandText([...init, ...(command ? ['--', ...command] : [])])}`;
}

/** Command for another working folder, in which only a workspace of Nx keeps its kernels elsewhere. */
function unpackingThere({ app }: CaptureJson, kernel: string, file: string): string {
  const place = join('kernels', app.name ?? kernel, kernel, 'capture');
  const workspace = findUpward(process.cwd(), 'nx.json');
  const to = workspace === undefined ? place : join(workspace, place);
  return commandText(['kernloop', 'unpack', resolve(file), '--to', to]);
}

/** Whether the app of the working folder runs the captured program, under whatever name it is declared. */
function isHere({ root, config }: App, { app }: CaptureJson): boolean {
  const program = commandIn(app)?.[0];
  return program !== undefined && root === process.cwd() && basename(program) === basename(config.command[0] ?? '');
}

function commandIn(app: CaptureJson['app']): string[] | undefined {
  return z.array(z.string()).min(1).safeParse(app['command']).data;
}

function making(app: App, name: string): string {
  const generate = commandText(['kernloop', 'generate', name, ...appOption(app)]);
  return `${generate} && ${commandText(['kernloop', 'adopt', shown(app.reproducer(name))])}`;
}

const appOption = (app: App): string[] => (app.root === process.cwd() ? [] : ['--app', shown(app.root)]);

function isOf(app: App, name: string, { kernel }: CaptureJson): boolean {
  const pattern = expressionOf(app.kernel(name).match);
  return pattern.test(kernel.name) || pattern.test(kernel.symbol);
}

const shown = (path: string): string => relative(process.cwd(), path) || '.';
