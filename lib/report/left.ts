import { existsSync } from 'node:fs';
import type { z } from 'zod';
import { absent } from '../page/parts';
import type { Html } from '../page/html';
import { KernloopError } from '../support/error';
import { readJson } from '../support/schema';

/** Commands that measure something which nobody asked for yet, or why this device never will. */
export type Missing = { readonly commands: readonly string[] } | { readonly never: string };

/** Body of a section of the page, or what it lacks: such sections are folded into one. */
export type Body = Html | Missing;

/**
 * Content of a file that a stage left, or the text that replaces it: not there yet, or unreadable. Only a file that is
 * not there is `missing`.
 */
export type Left<T> = { readonly value: T } | { readonly value: null; readonly why: Html; readonly missing?: Missing };

/** Body of a section that consists of one file. */
export const lacking = ({ why, missing }: { readonly why: Html; readonly missing?: Missing }): Body => missing ?? why;

export function readLeft<S extends z.ZodType>(
  path: string,
  schema: S,
  what: string,
  command: string,
): Left<NonNullable<z.output<S>>> {
  if (!existsSync(path)) {
    const why = absent(`Not run yet; this tells ${what.charAt(0).toLowerCase()}${what.slice(1)}:`, command);
    return { value: null, why, missing: { commands: [command] } };
  }
  try {
    return { value: readJson(path, schema, 'FILE_UNREADABLE', '') as NonNullable<z.output<S>> };
  } catch (error) {
    if (!(error instanceof KernloopError)) throw error;
    return { value: null, why: absent(`${what} cannot be shown: ${error.what}. This makes it anew:`, command) };
  }
}
