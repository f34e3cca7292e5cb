import { z } from 'zod';

/**
 * Committed beside kernel.json: tells `kernloop pull` what to fetch. The server holds it under its digest, like all
 * content.
 */
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

/** Replaces pushed.json if the push is encrypted: nothing can be read without a key. */
const encryptedPushedJsonSchema = z.strictObject({
  schema: z.literal('kernloop.pushed-encrypted/1'),
  format: z.literal('age'),
  index: digest.describe('Of the encrypted index, as the server keeps it.'),
});

export const anyPushedJsonSchema = z.discriminatedUnion('schema', [pushedJsonSchema, encryptedPushedJsonSchema]);

/**
 * Encrypted index on the server: the content of pushed.json, and the digest under which the server keeps each content.
 */
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
