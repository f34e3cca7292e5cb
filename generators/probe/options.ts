import { z } from 'zod';

const important = { 'x-priority': 'important' };

/** Keys with `x-` are Nx's, like those of `app`. */
export const probeOptionsSchema = z.object({
  reproducer: z.string().meta({
    description: 'Folder of the reproducer that the probes are for, relative to the workspace.',
    'x-prompt': 'For which reproducer (kernels/<app>/<kernel>), relative to the workspace?',
    ...important,
  }),
  name: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'has letters, digits and underscores, and begins with no digit')
    .default('probe')
    .meta({
      description: 'Name of the probe and of its map; the file is <name>.toml.',
      'x-prompt': 'What is it to be called?',
      ...important,
    }),
  level: z
    .enum(['thread', 'warp'])
    .default('thread')
    .meta({
      description: 'Whether each thread has records of its own, or each warp.',
      'x-prompt': 'Are there records for each thread or for each warp?',
      ...important,
    }),
});

export type ProbeOptions = z.input<typeof probeOptionsSchema>;
