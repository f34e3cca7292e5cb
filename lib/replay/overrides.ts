import { z } from 'zod';
import { scalarOf } from '../reproducer/kernel-args';
import type { KernelJson } from '../reproducer/kernel-json';
import { KernloopError } from '../support/error';
import type { ReplayRequest } from './program';
import type { Overridden } from './replay-events';

const extent = z
  .string()
  .regex(/^[1-9]\d{0,9}(,[1-9]\d{0,9}){0,2}$/, 'must be X, X,Y or X,Y,Z, each from 1 to 4294967295');

/** Overrides of the captured launch. Only replay has them: the app has no result to validate them against. */
export const overrideOptions = {
  grid: extent.optional().describe('Launch so many blocks instead of the captured ones: X[,Y[,Z]].'),
  block: extent.optional().describe('Launch blocks of so many threads instead: X[,Y[,Z]].'),
  dynamicShared: z
    .int()
    .min(0)
    .optional()
    .describe('Bytes of dynamic shared memory (LDS) of a block instead of the captured ones.'),
  arg: z
    .array(z.string().regex(/^[^=]+=.+$/, 'must be NAME=VALUE'))
    .default([])
    .describe(
      'Another value for a kernel argument: NAME=VALUE or INDEX=VALUE (from 0), its type by the signature; NAME:TYPE=VALUE where that tells none (ptr, f32, i64, …). Pointers in hex.',
    ),
};

export type OverrideOptions = z.output<z.ZodObject<typeof overrideOptions>>;

export function launchOverrides(options: OverrideOptions, kernel: KernelJson): Partial<ReplayRequest> {
  const { grid, block, dynamicShared, arg } = options;
  return {
    ...(grid === undefined ? {} : { grid }),
    ...(block === undefined ? {} : { block }),
    ...(dynamicShared === undefined ? {} : { dynamicShared }),
    ...(arg.length === 0 ? {} : { args: typedArguments(arg, kernel) }),
  };
}

function typedArguments(texts: readonly string[], kernel: KernelJson): string[] {
  const typed = texts.map((text) => typedArgument(text, kernel));
  const places = typed.map((text) => text.split(/[:=]/, 1)[0]);
  const twice = texts.find((_, index) => places.indexOf(places[index]) !== index);
  if (twice === undefined) return typed;
  throw new KernloopError('USAGE', `--arg ${twice}: this argument has a value already`, 'give each argument once');
}

/** Resolves the argument to its index and source type: code objects often have neither names nor types. */
function typedArgument(text: string, { args }: KernelJson): string {
  const equals = text.indexOf('=');
  const [name, type] = splitLast(text.slice(0, equals), ':');
  const value = text.slice(equals + 1);
  const found = args.find((arg) => arg.name === name) ?? args.find(({ index }) => String(index) === name);
  if (!found) {
    if (args.length === 0) return text;
    const known = args.map((arg) => (arg.name === null ? arg.index : `${arg.index} (${arg.name})`)).join(', ');
    throw new KernloopError('ARGUMENT_UNKNOWN', `the kernel has no argument "${name}"`, `it has ${known}`);
  }
  const told = type ?? scalarOf(found.type);
  return `${found.index}${told ? `:${told}` : ''}=${value}`;
}

function splitLast(text: string, separator: string): [string, string?] {
  const at = text.lastIndexOf(separator);
  // `::` belongs to a name and does not start a type.
  return at <= 0 || text[at - 1] === separator ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Text such as "grid 4,1,1 → 8,1,1 blocks; argument 2 (n) 200 → 100". */
export function describeOverrides(overridden: Overridden): string {
  const { grid_blocks: grid, block_threads: block, dynamic_group_segment_bytes: shared } = overridden;
  return [
    ...(grid ? [`grid ${grid.from.join(',')} → ${grid.to.join(',')} blocks`] : []),
    ...(block ? [`block ${block.from.join(',')} → ${block.to.join(',')} threads`] : []),
    ...(shared ? [`dynamic shared memory ${shared.from} → ${shared.to} bytes`] : []),
    ...(overridden.arguments ?? []).map(
      ({ index, name, from, to }) => `argument ${index}${name ? ` (${name})` : ''} ${from} → ${to}`,
    ),
  ].join('; ');
}
