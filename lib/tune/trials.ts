import { existsSync } from 'node:fs';
import { captureFile, selfcheckFile } from '../archive/capture-files';
import type { Deps } from '../deps/deps';
import type { Device } from '../device/device';
import type { CapturedDispatch } from '../replay/captured-dispatches';
import { macrosOf } from '../reproducer/configuration';
import { configuredLaunch } from '../reproducer/configured-launch';
import type { Reproducer } from '../reproducer/reproducer';
import { messageOf } from '../support/error';
import { sha256, sha256OfFile } from '../support/files';
import { version } from '../support/version';
import { toolchainIdentity } from '../toolchain/identity';
import type { Outcome } from './cache';
import type { Parameters } from './space';
import type { Subject, Variation } from './subject';
import type { Plan, Search } from './trial';

/** A configuration to try and its outcome. */
export interface Trial extends Plan {
  isBase: boolean;
  /** False for the source as it is, unless a configuration of the space is the same. */
  isAsked: boolean;
  parameters: Parameters;
  outcome?: Outcome;
  fromCache: boolean;
}

export function trialsOf(
  subject: Subject,
  all: readonly Parameters[],
  names: readonly string[],
  { config }: Reproducer,
  keyOf: (variation: Variation) => string,
): Trial[] {
  const asItIs: Variation = { files: {}, configuration: config.configuration };
  const inForce = Object.fromEntries(
    names.flatMap((name) => (subject.base[name] === undefined ? [] : [[name, subject.base[name]]])),
  );
  const trials: Trial[] = [
    { key: keyOf(asItIs), variation: asItIs, isBase: true, isAsked: false, parameters: inForce, fromCache: false },
  ];
  for (const parameters of all) {
    const variation = subject.vary(parameters);
    const key = keyOf(variation);
    // The same key means another spelling of a configuration, or the source itself.
    const same = trials.find((trial) => trial.key === key);
    if (!same) trials.push({ key, variation, isBase: false, isAsked: true, parameters, fromCache: false });
    else if (same.isBase) Object.assign(same, { parameters, isAsked: true });
  }
  return trials;
}

/** Keys from everything that decides an outcome, except files outside that only the compilation reveals. */
export function keys(
  { snapshot, recipe, overlay, compiler, options, judging, replaying, reproducer, work }: Search,
  chosen: readonly CapturedDispatch[],
  device: Device,
  deps: Deps,
): (variation: Variation) => string {
  const { options: _options, configuration: _configuration, ...config } = reproducer.config;
  const files = chosen.flatMap(({ folder }) => [captureFile(folder), selfcheckFile(folder)]);
  const shared = [
    ...['kernloop.tune-candidate/1', version, config, recipe, overlay, compiler.version, toolchainIdentity(deps.env)],
    files.map((file) => (existsSync(file) ? sha256OfFile(file) : 'none')),
    [describe(device, deps), sha256OfFile(deps.native.replay), sha256OfFile(deps.native.softgpu)],
    [placeless(judging), placeless(replaying), work === 'duration_ns' ? (options.iterations ?? null) : null],
  ];
  return ({ files: changed, configuration }) => {
    const launches = chosen.map(({ capture }) => {
      try {
        return configuration === undefined ? {} : configuredLaunch(configuration, capture, reproducer.config.args);
      } catch (error) {
        return messageOf(error);
      }
    });
    return sha256(JSON.stringify([shared, snapshot.digestsWith(changed), macrosOf(configuration), launches])).slice(
      0,
      24,
    );
  };
}

/** Jobs of a cluster share outcomes, whichever GPU of the pool each job got. */
function describe({ description }: Device, { env }: Deps): object {
  const pool = env['KERNLOOP_DEVICE_POOL'];
  return pool === undefined || description.kind === 'softgpu' ? description : { ...description, identity: pool };
}

/** Drops paths, which do not affect the outcome. */
function placeless(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !['reproducer', 'store'].includes(name)));
}
