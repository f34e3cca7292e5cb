import { existsSync } from 'node:fs';
import type { z } from 'zod';
import { absent } from '../page/parts';
import type { Html } from '../page/html';
import { KernloopError } from '../support/error';
import { readJson } from '../support/schema';

/** Content of a file that a stage left, or the text that replaces it: not there yet, or unreadable. */
export type Left<T> = { readonly value: T } | { readonly value: null; readonly why: Html };

export function readLeft<S extends z.ZodType>(
  path: string,
  schema: S,
  what: string,
  command: string,
): Left<NonNullable<z.output<S>>> {
  if (!existsSync(path))
    return {
      value: null,
      why: absent(`Not run yet; this tells ${what.charAt(0).toLowerCase()}${what.slice(1)}:`, command),
    };
  try {
    return { value: readJson(path, schema, 'FILE_UNREADABLE', '') as NonNullable<z.output<S>> };
  } catch (error) {
    if (!(error instanceof KernloopError)) throw error;
    return { value: null, why: absent(`${what} cannot be shown: ${error.what}. This makes it anew:`, command) };
  }
}
