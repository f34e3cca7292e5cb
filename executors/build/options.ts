import { z } from 'zod';

export const buildOptionsSchema = z.object({
  app: z.string().default('.').describe('Folder of the app: the one with kernloop.json.'),
});
