import { z } from 'zod';
import { dispatchesForm } from '../app/dispatches';
import { eachChoices, scopes } from '../app/kernloop-json';
import { appRunOptions } from '../app/run-options';

const bytes = z.int().min(0);
export const captureOptionsSchema = z.object({
  ...appRunOptions,
  kernel: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Kernels to capture, by their names in kernloop.json, or by regular expressions that fit one name each. Default: all of them.',
    ),
  match: z
    .string()
    .min(1)
    .optional()
    .describe('Capture kernels whose name matches this regular expression, instead of the one in kernloop.json.'),
  wholeName: z.boolean().optional().describe('The expression must match the whole name. Overrides kernloop.json.'),
  ordinal: z
    .int()
    .min(1)
    .optional()
    .describe('Which matching dispatch to capture, counted from 1. Overrides kernloop.json.'),
  dispatch: z
    .string()
    .min(1)
    .optional()
    .describe(`Which matching dispatches: ${dispatchesForm}; overrides kernloop.json.`),
  each: z
    .enum(eachChoices)
    .optional()
    .describe(
      'Capture each of those dispatches, the first of each kernel and launch geometry, or the first of each kernel. Overrides kernloop.json.',
    ),
  limit: z
    .int()
    .min(1)
    .optional()
    .describe('Stop after this many captures of a kernel. Default: 16. Overrides kernloop.json.'),
  after: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Do not count dispatches until a kernel whose name matches this expression has been launched. Overrides kernloop.json.',
    ),
  afterCount: z
    .int()
    .min(1)
    .optional()
    .describe('How many launches matching --after to wait for. Default: 1. Overrides kernloop.json.'),
  scope: z
    .enum(scopes)
    .optional()
    .describe('Memory to capture: what the arguments lead to, or every tracked allocation. Overrides kernloop.json.'),
  output: z
    .string()
    .optional()
    .describe(
      'Folder of the capture, if only one kernel is captured. Default: kernels/<app>/<kernel>/capture. Further captures go to <folder>s/<ordinal>.',
    ),
  selfCheck: z
    .boolean()
    .default(true)
    .describe('Replay the capture once the app has exited, and check that it gives what the app computed.'),
  shrink: z
    .boolean()
    .default(false)
    .describe(
      'After the self-check, drop memory that the dispatch neither reads nor writes, if the self-check then says the same. Code that touches it faults in replays.',
    ),
  maxBytes: bytes
    .default(8 * 1024 ** 3)
    .describe('Refuse a capture of more than this many bytes of memory, before anything is written. 0: no limit.'),
  inlineLimitBytes: bytes
    .default(256 * 1024 ** 2)
    .describe('A capture that takes more bytes than this on disk keeps its chunks in the store.'),
  memoryBytes: z
    .int()
    .min(4 * 1024 ** 2)
    .default(256 * 1024 ** 2)
    .describe('Host memory to use while a snapshot is written, however large it is. At least 4194304 (one chunk).'),
  dryRun: z.boolean().default(false).describe('Run the app and say how large the captures would be. Write none.'),
  drainLimitMs: z
    .int()
    .min(1)
    .default(10_000)
    .describe('How long to wait, before the dispatch, for work that is already on the device.'),
  runLimitMs: z.int().min(1).default(60_000).describe('How long the captured dispatch itself may take.'),
  untrackedMemory: z
    .enum(['warn', 'refuse'])
    .default('warn')
    .describe(
      'What to do if an argument points to GPU memory whose allocation was never seen (unused fields of structs often do): capture and warn (the self-check then shows whether the kernel uses it), or refuse the dispatch.',
    ),
  store: z.string().optional().describe("Chunk store. Default: the workspace's .kernloop/store."),
});

export type CaptureOptions = z.output<typeof captureOptionsSchema>;
