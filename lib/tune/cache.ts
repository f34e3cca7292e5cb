import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { sha256, writeJson } from '../support/files';
import { areCurrent } from '../candidate/outside-files';
import { scoreSchema } from '../candidate/score-json';
import { inputsSchema, statuses } from './result';

const digests = z.record(z.string(), z.string());

const outcomeSchema = z.strictObject({
  schema: z.literal('kernloop.tune-candidate/1'),
  key: z.string(),
  status: z.enum(statuses),
  reason: z.string(),
  score: scoreSchema.nullable(),
  /** Time of the captured code in the same rounds; only on hardware. */
  captured_ns: z.number().nullable(),
  code_object_sha256: z.string().nullable(),
  /** Digest of the kernel's own code, without other kernels and line tables; null if it cannot be told apart. */
  kernel_code_sha256: z.string().nullable(),
  /** Tolerance under which the candidate would pass. */
  usual: z.object({ ulp: z.number(), atol: z.number() }).nullable(),
  inputs: inputsSchema.nullable(),
  /** Files outside the reproducer that the compiler read, by digest; a key cannot know them beforehand. */
  read: digests,
});

export type Outcome = z.output<typeof outcomeSchema>;

const storedSchema = z.strictObject({ outcome: outcomeSchema, sha256: z.string() });

/** Outcome of each candidate in a file of its own: finished ones survive however the search ends. */
export class CandidateCache {
  constructor(
    private readonly folder: string,
    private readonly reproducer: string,
  ) {}

  /** Null if there is none, it is damaged, or a header has changed. */
  find(key: string): Outcome | null {
    const path = this.path(key);
    if (!existsSync(path)) return null;
    const stored = storedSchema.safeParse(parsed(readFileSync(path, 'utf8')));
    if (!stored.success) return null;
    const { outcome, sha256: digest } = stored.data;
    if (digest !== digestOf(outcome) || outcome.key !== key) return null;
    return areCurrent(outcome.read, this.reproducer) ? outcome : null;
  }

  store(outcome: Outcome): void {
    writeJson(this.path(outcome.key), { outcome, sha256: digestOf(outcome) });
  }

  drop(key: string): void {
    rmSync(this.path(key), { force: true });
  }

  private path(key: string): string {
    return join(this.folder, `${key}.result.json`);
  }
}

const digestOf = (outcome: Outcome): string => sha256(JSON.stringify(outcome));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
