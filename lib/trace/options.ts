import { z } from 'zod';
import { dialects, offsetChoices } from './words';

/** What every verb about a trace takes. */
export const traceOptions = {
  trace: z.string().min(1).describe('Folder of a trace, or one of its result files (.bin).'),
  probe: z
    .string()
    .min(1)
    .optional()
    .describe('The probe.toml that the trace was made with; that of its folder if left out.'),
  dialect: z
    .enum(dialects)
    .optional()
    .describe(
      'How result files are written, where they fit several dialects: by CUDA since the DSL (warp-div), by the first driver and HIP (total), by CUDA in the artifact (unit), by HIP since the DSL (hip-total).',
    ),
  offsets: z
    .enum(offsetChoices)
    .optional()
    .describe(
      'Where a file records offsets that are wrong (blocks that are no multiple of a warp): read where its maps are (repaired), or where it says (recorded), as Neutrino does.',
    ),
};
