import { z } from 'zod';

export const remoteOption = z
  .string()
  .min(1)
  .optional()
  .describe('URL of the server; else KERNLOOP_REMOTE, else "store" in kernloop.json of the app.');
