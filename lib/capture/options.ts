import { z } from 'zod';
import { dispatchesForm } from '../app/dispatches';
import { eachChoices, nameSchema, scopes } from '../app/kernloop-json';
import { appRunOptions } from '../app/run-options';

const bytes = z.int().min(0);
export const captureOptionsSchema = z.object({
  ...appRunOptions,
  kernel: z
    .array(nameSchema)
    .default([])
    .describe('Kernels of kernloop.json to capture; all declared ones if left out.'),
  match: z
    .string()
    .min(1)
    .optional()
    .describe('Capture by this regular expression instead of what kernloop.json declares for the kernel.'),
  wholeName: z
    .boolean()
    .optional()
    .describe('The expression is to match a name from end to end; overrides kernloop.json.'),
  ordinal: z.int().min(1).optional().describe('Which matching dispatch, counted from 1; overrides kernloop.json.'),
  dispatch: z
    .string()
    .min(1)
    .optional()
    .describe(`Which matching dispatches: ${dispatchesForm}; overrides kernloop.json.`),
  each: z
    .enum(eachChoices)
    .optional()
    .describe(
      'Of those dispatches every one, the first of each kernel and launch geometry, or the first of each kernel; overrides kernloop.json.',
    ),
  limit: z
    .int()
    .min(1)
    .optional()
    .describe('The most captures to take of a kernel, 16 if left out; overrides kernloop.json.'),
  after: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Start to count dispatches after one of a kernel whose name this expression matches; overrides kernloop.json.',
    ),
  afterCount: z.int().min(1).optional().describe('Start after so many of them; overrides kernloop.json.'),
  scope: z.enum(scopes).optional().describe('Memory to capture; overrides kernloop.json.'),
  output: z
    .string()
    .optional()
    .describe(
      'Folder of the capture, for a single kernel; kernels/<app>/<kernel>/capture if left out. Further captures of it: <folder>s/<ordinal>.',
    ),
  selfCheck: z
    .boolean()
    .default(true)
    .describe('Replay the capture after the app has exited, and compare with what the app computed.'),
  maxBytes: bytes
    .default(8 * 1024 ** 3)
    .describe('Refuse a capture of more raw bytes of memory than this, before any is written; 0 is no limit.'),
  inlineLimitBytes: bytes
    .default(256 * 1024 ** 2)
    .describe('Captures larger than this (stored) keep their chunks in the store.'),
  memoryBytes: z
    .int()
    .min(4 * 1024 ** 2)
    .default(256 * 1024 ** 2)
    .describe('Host memory for a snapshot on its way to the disk, whatever its size; at least 4194304, a chunk.'),
  dryRun: z
    .boolean()
    .default(false)
    .describe('Run the app and say what captures of the selected dispatches would hold and take, but write none.'),
  drainLimitMs: z.int().min(1).default(10_000).describe('Time to wait for work in flight before the dispatch.'),
  runLimitMs: z.int().min(1).default(60_000).describe('Time for the captured dispatch itself.'),
  untrackedMemory: z
    .enum(['warn', 'refuse'])
    .default('warn')
    .describe(
      'A kernel argument that leads to GPU memory which nobody was seen to allocate, as unused parts of structures do: capture with a warning, and let the self-check tell whether it is used, or refuse the dispatch.',
    ),
  store: z.string().optional().describe("Chunk store; the workspace's .kernloop/store if left out."),
});

export type CaptureOptions = z.output<typeof captureOptionsSchema>;
