import { z } from 'zod';
import { nameSchema } from '../../lib/app/kernloop-json';
import { deviceKinds } from '../../lib/device/kinds';

const important = { 'x-priority': 'important' };

/** Keys with `x-` are Nx's: prompts on a terminal, and the order of options in its help and in Nx Console. */
export const appOptionsSchema = z.object({
  directory: z.string().meta({
    description: 'Folder of the app, relative to the workspace; . for the workspace itself.',
    'x-prompt': 'In which folder is the app, relative to the workspace? (. is the workspace itself)',
    ...important,
  }),
  command: z
    .array(z.string())
    .optional()
    .meta({
      description:
        'Program and arguments, relative to the folder: one line in quotes, or a word each. A Python script is run by python3. If left out, the one program in the folder.',
      ...important,
    }),
  kernel: z
    .array(z.string())
    .optional()
    .meta({
      description: 'Kernels to declare, by function name; `kernloop profile` lists what the app launches.',
      ...important,
    }),
  device: z
    .enum(deviceKinds)
    .optional()
    .meta({
      description: 'Where the kernels run; softgpu, the built-in software GPU, if left out.',
      'x-prompt': 'Where do its kernels run? (softgpu is built in and needs no GPU, hsa is AMD, cuda is NVIDIA)',
      ...important,
    }),
  name: nameSchema.optional().meta({
    description: 'Name of the app and of its Nx project; the name of its folder if left out.',
  }),
  compileCommands: z.string().optional().meta({
    description:
      'Compile database, relative to the folder; looked for in the folder and its build folders if left out.',
  }),
  skipPackageJson: z.boolean().optional().meta({
    description: 'Leave package.json as it is.',
    'x-priority': 'internal',
  }),
});

export type AppOptions = z.input<typeof appOptionsSchema>;
