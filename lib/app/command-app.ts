import { existsSync, statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { DeviceKind } from '../device/kinds';
import { softgpuTargets } from '../device/softgpu';
import type { ReadOnce } from '../support/read-once';
import type { Environment } from '../support/environment';
import { KernloopError } from '../support/error';
import { pathFolders, programsIn } from '../support/programs';
import { kernloopFile } from '../support/project-file-names';
import { appFrom, openApp, type App } from './app';
import { asName } from './describe-app';
import { findDevice, type FoundDevice } from './find-device';
import { kernloopJsonSchema, type KernloopJson } from './kernloop-json';

/** The folder in which a stage finds its app, and the command if one was given after `--`. */
export interface AppPlace {
  readonly app: string;
  readonly command: readonly string[];
}

/**
 * The app of a stage: that of the folder; or the given command, run in the folder, where no kernloop.json declares it.
 */
export function appAt({ app: folder, command }: AppPlace, env: Environment, opened?: ReadOnce): App {
  if (command.length === 0) return openApp(folder, opened);
  const root = resolve(folder);
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new KernloopError('USAGE', `${root} is no folder`, 'name the folder in which the command runs with --app');
  }
  if (isDeclared({ app: folder, command })) return openApp(folder);
  const { device, softgpu } = deviceOf({ app: folder, command }, env);
  const config = { name: nameOfCommand(command), device, command: [...command], options: softgpuOptions(softgpu) };
  return appFrom(root, kernloopJsonSchema.parse(config));
}

/** Whether a kernloop.json says how the app is run: that of the folder itself, for a command. */
export function isDeclared(place: AppPlace): boolean {
  return place.command.length === 0 || (hasFile(place) && otherApp(place) === undefined);
}

/** The app of the folder, if its kernloop.json runs another command than the given one. */
export function otherApp(place: AppPlace): App | undefined {
  if (place.command.length === 0 || !hasFile(place)) return undefined;
  const app = openApp(place.app);
  return isDeepStrictEqual(app.config.command, [...place.command]) ? undefined : app;
}

const hasFile = ({ app }: AppPlace): boolean => existsSync(join(resolve(app), kernloopFile));

export function deviceOf({ app, command }: AppPlace, env: Environment): FoundDevice {
  const [program = ''] = command;
  const path = program.includes('/')
    ? resolve(app, program)
    : (programsIn(pathFolders(env['PATH'] ?? ''), program)[0] ?? program);
  return findDevice(path, env);
}

/** Says which device a command runs on, and what it has code for. */
export function deviceLine(place: AppPlace, chosen: { device: DeviceKind; softgpu: string }, env: Environment): string {
  const where = chosen.device === 'softgpu' ? `the software GPU as ${chosen.softgpu}` : chosen.device;
  return `device: ${where} (${deviceOf(place, env).because}); --device and --softgpu choose another`;
}

/** Options of kernloop.json for a target of the software GPU that is not the default. */
export function softgpuOptions(softgpu: string): KernloopJson['options'] {
  if (softgpu === Object.keys(softgpuTargets)[0]) return {};
  return Object.fromEntries(['profile', 'capture', 'extract'].map((stage) => [stage, { softgpu }]));
}

/** `demo` for `./demo args`, `train` for `python3 train.py`. */
export function nameOfCommand([program = '', ...args]: readonly string[]): string {
  const script = /^(python|pypy)[\d.]*$/.test(basename(program))
    ? args.find((word) => word.endsWith('.py'))
    : undefined;
  const name = basename(script ?? program);
  return asName(script === undefined ? name : name.slice(0, -extname(name).length)).slice(0, 100);
}
