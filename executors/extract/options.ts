import { extractOptionsSchema } from '../../lib/extract/options';

/** What capture and generate are told is set on their own targets, since those are the cached ones. */
export const extractTaskOptionsSchema = extractOptionsSchema.pick({ app: true, kernel: true, reset: true });
