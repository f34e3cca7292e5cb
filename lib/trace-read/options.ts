import { z } from 'zod';
import { traceOptions } from '../trace/options';

export const traceReadOptionsSchema = z.object({ ...traceOptions });

export type TraceReadOptions = z.output<typeof traceReadOptionsSchema>;
