import { z } from 'zod';
import { nameSchema } from '../app/kernloop-json';
import { deviceKinds } from '../device/kinds';

export const initOptionsSchema = z.object({
  app: z.string().default('.').describe('Folder of the app. kernloop.json is written there.'),
  command: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Program and arguments, run in that folder. Give them after --: `kernloop init -- build/app --size 3`. Default: the one program in the folder.',
    ),
  kernel: z
    .array(z.string().min(1))
    .default([])
    .describe('Kernels to declare, by function name; `kernloop profile` lists what the app launches.'),
  device: z
    .enum(deviceKinds)
    .optional()
    .describe('Where the kernels run. Default: what the program has code for, and this machine has.'),
  name: nameSchema.optional().describe('Name of the app. Default: the name of its folder.'),
  compileCommands: z
    .string()
    .min(1)
    .optional()
    .describe('Compile database, relative to the folder. Default: one in the folder or its build folders.'),
});

export type InitOptions = z.output<typeof initOptionsSchema>;
