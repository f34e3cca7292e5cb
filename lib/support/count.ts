import { z } from 'zod';

/** A number of things, bytes, instructions or nanoseconds: no value of it has a fraction. */
export const count = z.int().nonnegative();
