import { z } from 'zod';

/** Beside kernel.json, and committed: what `kernloop pull` fetches. On the server, it is content by its digest like everything else. */
export const pushedFile = 'pushed.json';

const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** Folders of captures in a reproducer: its own, and those of further dispatches. */
const captureFolder = z.string().regex(/^(capture|captures\/[1-9]\d{0,9})$/);

export const pushedJsonSchema = z.strictObject({
  schema: z.literal('kernloop.pushed/1'),
  captures: z
    .array(
      z.strictObject({
        folder: captureFolder.describe('Relative to the reproducer.'),
        kernel: z.string().max(1 << 16),
        files: z
          .array(
            z.strictObject({
              name: z.enum(['capture.json', 'observed.json', 'selfcheck.json', 'nvrtc.json', 'triton.json']),
              sha256: digest,
              bytes: z.int().nonnegative(),
            }),
          )
          .min(1)
          .max(5),
        chunks: z.int().nonnegative().describe('Distinct ones; capture.json names them.'),
      }),
    )
    .min(1)
    .max(10_000),
});

export type PushedJson = z.output<typeof pushedJsonSchema>;
export type PushedCapture = PushedJson['captures'][number];
