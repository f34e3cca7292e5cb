import { replayResultSchema, type ReplayResult } from '../replay/result';
import { keptResultSchema } from '../reproducer/kept-results';
import { readLeft, type Left } from './left';

export interface Kept {
  readonly at: string;
  readonly codeObject: string;
  readonly result: ReplayResult;
}

export function readKept(path: string, what: string, command: string): Left<Kept> {
  const schema = keptResultSchema.extend({ result: replayResultSchema });
  const left = readLeft(path, schema, what, command);
  if (left.value === null) return left;
  const { at, code_object_sha256: codeObject, result } = left.value;
  return { value: { at, codeObject, result } };
}
