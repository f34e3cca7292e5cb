import { createHash } from 'node:crypto';

/** Of the workspace: see plugins/kernel/task-values.ts. */
export const valuesFolder = '.kernloop/inputs';

/** Each in a folder of its own, whatever it is called. */
export function valueFile(kind: string, unique: string): string {
  const digest = createHash('sha256').update(unique).digest('hex').slice(0, 16);
  return `${valuesFolder}/${BigInt(`0x${digest}`).toString(36).toUpperCase().padStart(13, '0').slice(-12)}/${kind}`;
}

/** What went into what recompile built, where it would build the same now; or will, where the source is untouched. */
export const builtFile = (root: string): string => valueFile('built', root);
/** What validate judges and reads that Nx does not hash: see judged-value.ts. */
export const judgedFile = (root: string): string => valueFile('judged', root);
/** What kernloop.json says of no single kernel. */
export const declaredFile = (root: string): string => valueFile('declared', root);
/**
 * Nx hashes files, or top-level fields of JSON files, but no element of a list: what an app says of one kernel is an input as the
 * digest in a file of its own, so that it concerns the tasks of that kernel alone.
 */
export const selectionFile = (root: string, kernel: string): string => fileOfKernel('selection', root, kernel);

/** Apart from those of a reproducer, whose folder may have the same name. */
export const fileOfKernel = (kind: string, root: string, kernel: string): string =>
  valueFile(kind, `${root} ${kernel}`);

/** 128 bits of the digest. */
export const shortDigest = (content: string): string =>
  createHash('sha256').update(content).digest('base64url').slice(0, 22);

/** What decides a task is not known before it ran: no cache has this. */
export const unknownValue = (unique: string): string => `unknown ${unique}`;
export const isUnknown = (value: string): boolean => value.startsWith('unknown ');
