import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { KernloopError } from '../support/error';
import { readJson } from '../support/schema';

/** Unit of the probes' clock: the software GPU counts wave-instructions, which are not times. */
export type ClockUnit = 'cycle' | 'wave-instruction';

const runSchema = z.looseObject({ clock: z.enum(['wave-instructions', 'cycles']) });

/** Unit of a result file, from the file that `trace run` wrote beside it. Neutrino's own traces are from GPUs. */
export function clockUnitOf(file: string): ClockUnit {
  const path = join(dirname(dirname(file)), 'probe-run.json');
  if (!existsSync(path)) return 'cycle';
  const { clock } = readJson(path, runSchema, 'TRACE_INVALID', 'run the trace again');
  return clock === 'wave-instructions' ? 'wave-instruction' : 'cycle';
}

/** A rate converts cycles to time, and no other unit. */
export function refuseRate(unit: ClockUnit, clockMhz: number | undefined, file: string): void {
  if (unit === 'cycle' || clockMhz === undefined) return;
  throw new KernloopError(
    'USAGE',
    `the clock of ${file} counts wave-instructions of the software GPU, which are not times`,
    'leave --clock-mhz out',
  );
}
