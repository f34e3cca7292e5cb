import { KernloopError, messageOf } from '../../support/error';
import { describeIssues } from '../../support/schema';
import { candidateSchema, type CandidateInput } from '../candidate-json';
import { limits } from './wire';

const refused = (what: string): KernloopError => new KernloopError('CANDIDATE_REFUSED', what, '');

/** A candidate, or why it is none. */
export type Read = { readonly candidate: CandidateInput } | { readonly id?: string; readonly error: KernloopError };

/** JSON of others. Text of a few MiB could make objects of GiBs, so it is refused before. */
export function boundedJson(text: string): unknown {
  requireFewItems(text);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw refused(`it is not JSON: ${messageOf(error)}`);
  }
}

export function readCandidate(value: unknown): Read {
  const parsed = candidateSchema.safeParse(value);
  if (parsed.success) return { candidate: parsed.data };
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
  const error = refused(`the candidate: ${describeIssues(parsed.error, candidateSchema)}`);
  return typeof id === 'string' && id.length <= 200 ? { id, error } : { error };
}

export function readLine(line: string): Read {
  try {
    return readCandidate(boundedJson(line));
  } catch (error) {
    if (error instanceof KernloopError) return { error };
    throw error;
  }
}

function requireFewItems(text: string): void {
  let items = 0;
  let isText = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (isText) {
      if (unit === backslash) at += 1;
      else if (unit === quote) isText = false;
    } else if (unit === quote) isText = true;
    else if (unit === comma || unit === bracket || unit === brace) items += 1;
    if (items > limits.bodyItems) throw refused(`it has more than ${limits.bodyItems} items`);
  }
}

const [quote, backslash, comma, bracket, brace] = ['"', '\\', ',', '[', '{'].map((text) => text.charCodeAt(0));
