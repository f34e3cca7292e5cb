import { z } from 'zod';

/** Beside kernel.json, and committed: what `kernloop pull` fetches. On the server, it is content by its digest like everything else. */
export const pushedFile = 'pushed.json';

const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** Folders of captures in a reproducer: its own, and those of further dispatches. */
const captureFolder = z.string().regex(/^(capture|captures\/[1-9]\d{0,9})$/);

const capturesSchema = z
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
  .max(10_000);

export const pushedJsonSchema = z.strictObject({ schema: z.literal('kernloop.pushed/1'), captures: capturesSchema });

/** In its place where what was pushed is encrypted: nothing of it is to be read without a key. */
const encryptedPushedJsonSchema = z.strictObject({
  schema: z.literal('kernloop.pushed-encrypted/1'),
  format: z.literal('age'),
  index: digest.describe('Of the encrypted index, as the server keeps it.'),
});

export const anyPushedJsonSchema = z.discriminatedUnion('schema', [pushedJsonSchema, encryptedPushedJsonSchema]);

/** On the server, encrypted: what pushed.json says otherwise, and under which digest the server keeps each content. */
export const pushedIndexSchema = z.strictObject({
  schema: z.literal('kernloop.pushed-index/1'),
  captures: capturesSchema,
  objects: z.record(digest, digest),
});

export type AnyPushedJson = z.output<typeof anyPushedJsonSchema>;
export type EncryptedPushedJson = z.output<typeof encryptedPushedJsonSchema>;
export type PushedIndex = z.output<typeof pushedIndexSchema>;
export type PushedJson = z.output<typeof pushedJsonSchema>;
export type PushedCapture = PushedJson['captures'][number];
