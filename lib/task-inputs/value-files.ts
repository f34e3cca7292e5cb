import { createHash } from 'node:crypto';

/** Relative to the workspace: see plugins/kernel/task-values.ts. */
export const valuesFolder = '.kernloop/inputs';

/** Each value has its own folder, named by a digest. */
export function valueFile(kind: string, unique: string): string {
  const digest = createHash('sha256').update(unique).digest('hex').slice(0, 16);
  return `${valuesFolder}/${BigInt(`0x${digest}`).toString(36).toUpperCase().padStart(13, '0').slice(-12)}/${kind}`;
}

/** Inputs of the current variant, if recompile would build the same; or of the next one, if the source is untouched. */
export const builtFile = (root: string): string => valueFile('built', root);
/** Files that validate judges or reads and that Nx does not hash: see judged-value.ts. */
export const judgedFile = (root: string): string => valueFile('judged', root);
/** Settings in kernloop.json that belong to no single kernel. */
export const declaredFile = (root: string): string => valueFile('declared', root);
/**
 * Nx hashes files, or top-level fields of JSON files, but no list elements: the settings of one kernel are a digest in
 * a separate file, so that they affect the tasks of that kernel alone.
 */
export const selectionFile = (root: string, kernel: string): string => fileOfKernel('selection', root, kernel);

/** Distinct from the files of a reproducer, whose folder may have the same name. */
export const fileOfKernel = (kind: string, root: string, kernel: string): string =>
  valueFile(kind, `${root} ${kernel}`);

/** 128 bits of the digest. */
export const shortDigest = (content: string): string =>
  createHash('sha256').update(content).digest('base64url').slice(0, 22);

/** Value of a task whose inputs are not known before it ran: no cache contains it. */
export const unknownValue = (unique: string): string => `unknown ${unique}`;
export const isUnknown = (value: string): boolean => value.startsWith('unknown ');
