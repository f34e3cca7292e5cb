import type { Device } from '../device/device';
import { deviceWords, type DeviceWords } from '../device/words';
import { KernloopError } from '../support/error';
import { kebab } from '../support/option-variables';
import type { JudgingOptions, ValidateOptions } from './options';
import type { SanitizerTool } from './sanitizer-report';

/** Options that only some devices support. */
type OptionsOfDevice = Partial<Pick<ValidateOptions, 'adverse' | 'delays' | SanitizerTool>>;

/** Options once the device is known. */
export type OptionsOnDevice = JudgingOptions & { adverse: boolean; delays: number };

interface OfSome {
  has: (device: Device) => boolean;
  /** Effect of the option, in words. */
  does: string;
  instead: keyof Pick<DeviceWords, 'races' | 'checker'>;
}

const sanitizer: OfSome = {
  has: ({ hasSanitizer }) => hasSanitizer,
  does: 'runs compute-sanitizer, which is for cuda',
  instead: 'checker',
};
const ofSome: Readonly<Record<keyof OptionsOfDevice, OfSome>> = {
  adverse: {
    has: ({ seeded }) => seeded,
    does: 'replays in an order of waves that only softgpu can be given',
    instead: 'races',
  },
  delays: {
    has: ({ hasPtx }) => hasPtx,
    does: 'puts delays into PTX, which only cuda has',
    instead: 'races',
  },
  racecheck: sanitizer,
  initcheck: sanitizer,
  memcheck: sanitizer,
};

const defaultDelays = 4;

/** Refuses options that the device lacks, instead of ignoring them. Any device accepts turning one off. */
export function requireOptionsOfDevice(options: OptionsOfDevice, device: Device): void {
  for (const [option, { has, does, instead }] of Object.entries(ofSome) as [keyof OptionsOfDevice, OfSome][]) {
    if (!options[option] || has(device)) continue;
    const { kind } = device.description;
    throw new KernloopError(
      'USAGE',
      `--${kebab(option)} ${does}; this is ${kind}`,
      `leave it out (of the environment, kernel.json and kernloop.json, too): ${deviceWords(kind)[instead]}`,
    );
  }
}

/** Fills in this device's defaults for options that were not given. */
export function asTheDeviceHas(options: JudgingOptions, device: Device): OptionsOnDevice {
  requireOptionsOfDevice(options, device);
  const { adverse = true, delays = defaultDelays } = options;
  return { ...options, adverse: adverse && device.seeded, delays: device.hasPtx ? delays : 0 };
}
