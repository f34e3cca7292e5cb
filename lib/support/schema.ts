import type { z } from 'zod';
import type { ErrorCode } from './error-codes';
import { closest, KernloopError, messageOf, systemCode } from './error';
import { valueOfJson } from './json-text';
import type { ReadOnce } from './read-once';
import { readWholeFile } from './regular-file';

/**
 * Reads a JSON file and checks it against its schema; errors name the file and the field. `files`: a look that reads
 * and parses it once.
 */
export function readJson<S extends z.ZodType>(
  path: string,
  schema: S,
  missing: ErrorCode,
  missingHint: string,
  files?: ReadOnce,
): z.output<S> {
  return parseJson(path, readText(path, missing, missingHint, files), schema, files);
}

/** Values of `remembered` schemas by text. The text is read each time, so a value is never that of an older file. */
const known = new WeakMap<z.ZodType, Map<string, unknown>>();
const mostRemembered = 20_000;

/**
 * Marks the schema of a file that a process reads many times: `parseJson` checks each text once. Its readers share the
 * value, so that it is frozen.
 */
export function remembered<S extends z.ZodType>(schema: S): S {
  known.set(schema, new Map());
  return schema;
}

export function parseJson<S extends z.ZodType>(path: string, text: string, schema: S, files?: ReadOnce): z.output<S> {
  const values = known.get(schema);
  if (values === undefined) return parseAnew(path, text, schema, files);
  if (values.has(text)) return values.get(text) as z.output<S>;
  const value = frozen(parseAnew(path, text, schema, files));
  if (values.size >= mostRemembered) values.clear();
  values.set(text, value);
  return value;
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

function parseAnew<S extends z.ZodType>(path: string, text: string, schema: S, files?: ReadOnce): z.output<S> {
  let value: unknown;
  try {
    value = files === undefined ? valueOfJson(path, text) : files.jsonIn(path);
  } catch (error) {
    throw new KernloopError(
      'CONFIG_INVALID',
      `${path} is not JSON: ${withLine(messageOf(error), text)}`,
      'correct the file',
      {
        cause: error,
      },
    );
  }
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new KernloopError(
    'CONFIG_INVALID',
    `${path}: ${describeIssues(parsed.error, schema)}`,
    'correct the file; its schema is in the schemas folder of the kernloop package',
  );
}

/** Adds line and column to a message of JSON.parse that has a position. */
function withLine(message: string, text: string): string {
  const [, position] = /at position (\d+)/.exec(message) ?? [];
  if (position === undefined) return message;
  const before = text.slice(0, Number(position)).split('\n');
  return `${message} (line ${before.length}, column ${(before.at(-1) ?? '').length + 1})`;
}

export function readText(path: string, missing: ErrorCode, missingHint: string, files?: ReadOnce): string {
  let cause: unknown;
  try {
    const text = files === undefined ? readWholeFile(path).toString('utf8') : files.textOf(path);
    if (text !== undefined) return text;
  } catch (error) {
    if (error instanceof KernloopError) throw error;
    cause = error;
    if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? ''))
      throw new KernloopError('FILE_UNREADABLE', `${path}: ${messageOf(error)}`, 'check the path and its permissions', {
        cause,
      });
  }
  throw new KernloopError(missing, `${path} does not exist`, missingHint, { cause });
}

/** Describes a failed parse in one line: field, problem, and the nearest known name for an unknown key. */
export function describeIssues(error: z.ZodError, schema?: z.ZodType): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => {
      const where = issue.path.length > 0 ? issue.path.join('.') : 'top level';
      if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) return `${where} is missing`;
      if (issue.code === 'too_small' && issue.origin === 'string') return `${where} is empty`;
      if (issue.code === 'invalid_value') return `${where}: ${issue.message}${meantValue(issue)}`;
      if (issue.code !== 'unrecognized_keys') return `${where}: ${issue.message}`;
      const known = schema ? knownKeys(schema, issue.path) : [];
      return `${where}: ${issue.keys.map((key) => unknownKey(key, known)).join(', ')}`;
    })
    .join('; ');
}

/** The nearest of the values that are known, where the parse reports its input. */
function meantValue({ input, values }: z.core.$ZodIssueInvalidValue): string {
  const texts = values.filter((value) => typeof value === 'string');
  const [suggestion] = typeof input === 'string' ? closest(input, texts, 1) : [];
  return suggestion === undefined ? '' : ` (did you mean "${suggestion}"?)`;
}

function unknownKey(key: string, known: readonly string[]): string {
  const [suggestion] = closest(key, known, 1);
  return `unknown field "${key}"${suggestion ? ` (did you mean "${suggestion}"?)` : ''}`;
}

/** Field names of the object at `path` in a schema; empty if that is no plain object. */
function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let node: unknown = schema;
  for (const step of path) {
    node = unwrap(node);
    if (hasShape(node)) node = node.shape[String(step)];
    else if (isRecord(node) && 'element' in node) node = node['element'];
    else return [];
  }
  node = unwrap(node);
  return hasShape(node) ? Object.keys(node.shape) : [];
}

function unwrap(node: unknown): unknown {
  let current = node;
  while (
    isRecord(current) &&
    typeof current['unwrap'] === 'function' &&
    !hasShape(current) &&
    !('element' in current)
  ) {
    current = (current['unwrap'] as () => unknown).call(current);
  }
  return current;
}

function hasShape(node: unknown): node is { shape: Record<string, unknown> } {
  return isRecord(node) && isRecord(node['shape']);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
