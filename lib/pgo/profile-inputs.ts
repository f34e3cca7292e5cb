import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { KernloopError } from '../support/error';

export interface ProfileInput {
  /** Absolute path; side files are beside it and derive from its name. */
  file: string;
  weight: number;
}

export interface Halves {
  device: ProfileInput[];
  /** `<base>.profraw` beside `<base>.<triple>.<unit>.profraw` of the device. */
  host: ProfileInput[];
}

/** Files of `--input`, split into device and host profiles. */
export function profileHalves(given: readonly string[], usual: string): Halves {
  const inputs = profileInputs(given, usual);
  const host = inputs.filter(({ file }) => isOfHost(file));
  const device = inputs.filter((input) => !host.includes(input));
  if (device.length > 0) return { device, host };
  throw new KernloopError(
    'PGO_PROFILE_MISSING',
    `${host.map(({ file }) => basename(file)).join(', ')}: of the host's code alone`,
    "name the device's profiles beside it, too, or their folder",
  );
}

export const deviceProfile = /\.(amdgcn-amd-amdhsa|nvptx64-nvidia-cuda)\.[^.]+\.profraw$/;

function isOfHost(file: string): boolean {
  const name = basename(file);
  if (!name.endsWith('.profraw') || deviceProfile.test(name)) return false;
  const base = name.slice(0, -'profraw'.length);
  return readdirSync(dirname(file)).some((other) => other.startsWith(base) && deviceProfile.test(other));
}

const profile = /\.(profraw|profdata)$/;

/** Reads `FILE` or `FOLDER`, either with `,WEIGHT`. */
function profileInputs(given: readonly string[], usual: string): ProfileInput[] {
  if (given.length > 0) return given.flatMap(read);
  if (existsSync(usual)) return filesOf(usual, 1);
  throw new KernloopError(
    'PGO_PROFILE_MISSING',
    `${usual} does not exist: nothing was counted`,
    'run `kernloop pgo-generate`, or name profiles with --input',
  );
}

function read(text: string): ProfileInput[] {
  const [, path = text, weight] = /^(.*),(\d+)$/.exec(text) ?? [];
  if (weight === undefined) return filesOf(resolve(text), 1);
  if (Number(weight) >= 1) return filesOf(resolve(path), Number(weight));
  throw new KernloopError('USAGE', `--input ${text}: a weight is 1 or more`, 'leave the profile out instead');
}

function filesOf(path: string, weight: number): ProfileInput[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new KernloopError('PGO_PROFILE_MISSING', `${path} does not exist`, 'check the path of --input');
  if (!found.isDirectory()) return [{ file: path, weight }];
  const files = readdirSync(path).filter((name) => profile.test(name));
  if (files.length === 0) {
    throw new KernloopError(
      'PGO_PROFILE_MISSING',
      `${path} has no profile (*.profraw, *.profdata)`,
      'run what is instrumented once more; `kernloop pgo-generate` says whether it counted',
    );
  }
  return files.sort().map((name) => ({ file: join(path, name), weight }));
}
