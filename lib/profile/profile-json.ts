import { z } from 'zod';
import { appProcessSchema } from '../recorder/processes';
import { deviceKinds } from '../device/kinds';
import { count } from '../support/count';

const figure = count.optional();
const dimensions = z.array(count);

/** Figures of one launch; those that the device does not report are missing. */
const launchFiguresSchema = z.object({
  registers_per_thread: figure,
  static_shared_bytes: figure,
  dynamic_shared_bytes: figure,
  local_bytes_per_thread: figure,
  resident_blocks_per_multiprocessor: figure,
  occupancy_percent: z
    .number()
    .nonnegative()
    .optional()
    .describe('Resident warps of the most that a multiprocessor takes.'),
});

const kernelProfileSchema = z.object({
  name: z.string().describe('Demangled where it can be.'),
  symbol: z.string(),
  code_object: z.string().describe('sha256.'),
  dispatches: count,
  share: z.number().min(0).max(1).describe("Part of the app's work."),
  total: count.describe('In the unit that `work` names, as are the next five.'),
  min: count,
  p10: figure,
  median: count,
  p90: figure,
  max: count,
  ...launchFiguresSchema.shape,
  geometries: z
    .array(
      z.object({ grid_blocks: dimensions, block_threads: dimensions, dispatches: count, ...launchFiguresSchema.shape }),
    )
    .describe('The most frequent first: the figures of the kernel are those of it.'),
});

const launchesSchema = z.object({
  boot: z.string().describe('Of the host, whose CLOCK_MONOTONIC the times are of: /proc/sys/kernel/random/boot_id.'),
  left_out: count.describe('Launches beyond those that are listed.'),
  rows: z.array(
    z.object({
      kernel: count.describe('Its place in `kernels`.'),
      start_ns: z.string().regex(/^\d{1,19}$/),
      end_ns: z.string().regex(/^\d{1,19}$/),
      device: count,
      stream: count,
    }),
  ),
});

const workUnits = ['wave_instructions', 'duration_ns'] as const;

export const profileSchema = z
  .object({
    schema: z.literal('kernloop.profile/1'),
    app: z.string(),
    device: z.object({ kind: z.enum(deviceKinds), identity: z.string() }),
    work: z.enum(workUnits).describe('What shares and statistics are of.'),
    processes: count.describe('Processes that used the device.'),
    dispatches: count,
    total: count,
    kernels: z.array(kernelProfileSchema),
    launches: launchesSchema.optional().describe('When kernels ran, where the device says so.'),
    per_process: z
      .array(appProcessSchema)
      .optional()
      .describe('Who launched what, where it were several processes; of many, the first 256.'),
  })
  .meta({ title: 'profile.json', description: 'The kernels that an app launches, ranked.' });

export type LaunchFigures = z.output<typeof launchFiguresSchema>;
export type KernelProfile = z.output<typeof kernelProfileSchema>;
export type Profile = z.output<typeof profileSchema>;
