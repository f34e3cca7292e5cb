import { z } from 'zod';
import { dialects, offsetChoices } from './words';

/** Options of every verb that reads a trace. */
export const traceOptions = {
  trace: z.string().min(1).describe('Trace folder, or one of its result files (.bin).'),
  probe: z
    .string()
    .min(1)
    .optional()
    .describe('The probe.toml the trace was made with. Default: the one in its folder.'),
  dialect: z
    .enum(dialects)
    .optional()
    .describe(
      'Dialect of the result files, if several fit: CUDA since the DSL (warp-div), the first driver and HIP (total), CUDA in the artifact (unit), HIP since the DSL (hip-total).',
    ),
  offsets: z
    .enum(offsetChoices)
    .optional()
    .describe(
      'What to do with files that record wrong offsets (blocks that are not a multiple of a warp). repaired: read the maps where they really are. recorded: read them where the file says, as Neutrino does.',
    ),
};
