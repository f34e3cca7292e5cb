import { z } from 'zod';
import { nameSchema } from '../../lib/app/kernloop-json';
import { deviceKinds } from '../../lib/device/kinds';

export const initOptionsSchema = z.object({
  directory: z.string().default('.').describe('Folder of the app, relative to the workspace.'),
  name: nameSchema.optional().describe('Name of the app; the name of its folder if left out.'),
  command: z
    .array(z.string())
    .default([])
    .describe('Program and arguments, relative to the folder; the one program that its build has made if left out.'),
  compileCommands: z
    .string()
    .optional()
    .describe('Compile database, relative to the folder; looked for in the folder and its build folders if left out.'),
  device: z.enum(deviceKinds).default('softgpu').describe('Where the kernels run.'),
  kernel: z
    .array(z.string())
    .default([])
    .describe('Kernels to declare, by function name; `kernloop profile` lists what the app launches.'),
});

export type InitOptions = z.input<typeof initOptionsSchema>;
