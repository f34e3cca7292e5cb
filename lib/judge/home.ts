import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { KernloopError } from '../support/error';
import type { Environment } from '../support/environment';
import { jsonText, sha256, writeFileAtomic, writeJson } from '../support/files';
import { readRegularFile } from '../support/regular-file';
import { userCacheFile } from '../support/user-cache';
import { candidateSchema, type Candidate } from './candidate-json';
import { judgementSchema } from './judgement-json';
import type { Outcome } from './judge-candidate';
import { asWritten, canonicalJson, sealedSchema, type Sealed } from './seal';

/** A candidate that the judge has promised to judge. */
export interface Accepted {
  readonly candidate: Candidate & { id: string };
  /** Name of the sender: groups take turns. */
  readonly group: string;
  readonly acceptedAt: string;
}

/** Sender of a candidate and digest of what it sent: kept as long as the verdict. */
interface Sent {
  readonly group: string;
  readonly sha256: string;
}

const sentSchema = z.strictObject({ group: z.string(), sha256: z.string() });

const acceptedSchema = z.strictObject({
  candidate: candidateSchema.extend({ id: z.string() }),
  group: z.string(),
  acceptedAt: z.string(),
});

const judgedSchema = judgementSchema
  .omit({ schema: true, id: true, label: true, from_cache: true, judged_at: true, durations_ms: true })
  .extend({ durations_ms: z.object({ compile: z.number(), judge: z.number() }) });
const knownSchema = z.strictObject({
  outcome: z.strictObject({ judged: judgedSchema, read: z.record(z.string(), z.string()), isLasting: z.literal(true) }),
  sha256: z.string(),
});

/** Verdicts, and outcomes by content, that are kept; the oldest go first. */
const mostKept = 50_000;
const prunedEvery = 1000;

/** Absolute path of the home of a judge, which need not exist yet. */
export function homeFolder(given: string | undefined, env: Environment): string {
  const root = given === undefined ? userCacheFile(env, 'judge') : resolve(given);
  if (root !== undefined) return root;
  throw new KernloopError(
    'ENVIRONMENT_HOME',
    'neither HOME nor XDG_CACHE_HOME is set, so the judge has no folder for its key and its verdicts',
    'name one with --home',
  );
}

/** Folder of a judge: what it has accepted, its verdicts, and outcomes by content. It holds the key as well (seal.ts). */
export class Home {
  readonly root: string;
  private written = 0;

  constructor(given: string | undefined, env: Environment) {
    this.root = homeFolder(given, env);
    mkdirSync(this.root, { recursive: true, mode: 0o700 });
    for (const folder of ['accepted', 'sent', 'verdicts', 'known'])
      mkdirSync(join(this.root, folder), { recursive: true });
    this.prune();
  }

  /** Written to the disk before the promise is given. */
  accept(accepted: Accepted): void {
    this.announce(accepted);
    writeJson(this.acceptedFile(accepted.candidate.id), accepted);
  }

  /** Names the sender. Nobody else may ever see the candidate, so it comes before all else. */
  announce(accepted: Accepted): void {
    writeJson(this.sentFile(accepted.candidate.id), sentOf(accepted));
  }

  /** Whether a judge of this home has promised a verdict on a candidate of that id. */
  isAccepted(id: string): boolean {
    return existsSync(this.acceptedFile(id));
  }

  /** Sender of the candidate of that id; empty if nobody was named. */
  groupOf(id: string): string {
    return this.sent(id)?.group ?? '';
  }

  /** Whether the candidate of that id is this one, of this group. */
  isSame(accepted: Pick<Accepted, 'candidate' | 'group'>): boolean {
    const before = this.sent(accepted.candidate.id);
    return before !== null && isDeepStrictEqual(before, sentOf(accepted));
  }

  private sent(id: string): Sent | null {
    const parsed = sentSchema.safeParse(jsonOf(this.sentFile(id)));
    return parsed.success ? parsed.data : null;
  }

  /** Accepted candidates without a verdict, the oldest first; damaged files are named by `tell`. */
  pending(tell: (line: string) => void): Accepted[] {
    const found: Accepted[] = [];
    for (const name of readdirSync(join(this.root, 'accepted'))) {
      const id = /^(.+)\.json$/.exec(name)?.[1];
      if (id === undefined) continue;
      const parsed = acceptedSchema.safeParse(jsonOf(this.acceptedFile(id)));
      if (!parsed.success || parsed.data.candidate.id !== id) tell(`${this.acceptedFile(id)} is damaged, and stays`);
      else if (this.verdictOn(id) === null) found.push(parsed.data);
      else this.forget(id);
    }
    return found.sort((a, b) => (a.acceptedAt < b.acceptedAt ? -1 : 1));
  }

  /** Drops the promise. */
  forget(id: string): void {
    rmSync(this.acceptedFile(id), { force: true });
  }

  /** Null if there is none, or if it is damaged. */
  verdictOn(id: string): Sealed | null {
    const parsed = sealedSchema.safeParse(jsonOf(this.verdictFile(id)));
    return parsed.success && parsed.data.judgement.id === id ? parsed.data : null;
  }

  keep(sealed: Sealed): void {
    writeJson(this.verdictFile(sealed.judgement.id), sealed);
    this.forget(sealed.judgement.id);
    this.written += 1;
    if (this.written % prunedEvery === 0) this.prune();
  }

  /** Outcome for the same content, unless the file is damaged. */
  known(key: string): Outcome | null {
    const parsed = knownSchema.safeParse(jsonOf(this.knownFile(key)));
    if (!parsed.success || parsed.data.sha256 !== digestOf(parsed.data.outcome)) return null;
    return parsed.data.outcome;
  }

  /** Not brought to the disk at once: what is lost or torn is judged again. */
  remember(key: string, outcome: Outcome): void {
    writeFileAtomic(this.knownFile(key), jsonText({ outcome, sha256: digestOf(outcome) }), { sync: false });
  }

  verdictFile(id: string): string {
    return join(this.root, 'verdicts', `${id}.json`);
  }

  private sentFile(id: string): string {
    return join(this.root, 'sent', `${id}.json`);
  }

  private acceptedFile(id: string): string {
    return join(this.root, 'accepted', `${id}.json`);
  }

  private knownFile(key: string): string {
    return join(this.root, 'known', `${key}.json`);
  }

  private prune(): void {
    for (const kind of ['verdicts', 'known']) {
      const folder = join(this.root, kind);
      const names = readdirSync(folder);
      if (names.length <= mostKept) continue;
      const timeOf = (name: string): number => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
      const byAge = names.map((name) => ({ name, time: timeOf(name) })).sort((a, b) => a.time - b.time);
      for (const { name } of byAge.slice(0, names.length - mostKept)) {
        rmSync(join(folder, name), { force: true });
        if (kind === 'verdicts') rmSync(join(this.root, 'sent', name), { force: true });
      }
    }
  }
}

const sentOf = ({ candidate, group }: Pick<Accepted, 'candidate' | 'group'>): Sent => ({
  group,
  sha256: sha256(canonicalJson(candidate)),
});

/** Digest that ignores the order of keys, which parsing changes. */
const digestOf = (outcome: Outcome): string => sha256(canonicalJson(asWritten(outcome)));

function jsonOf(path: string): unknown {
  if (!existsSync(path)) return null;
  try {
    return JSON.parse(readRegularFile(path, 'utf8'));
  } catch {
    return null;
  }
}
