import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Deps } from '../deps/deps';
import { asKernloopError, systemCode } from '../support/error';
import { writeFileAtomic, writeJson } from '../support/files';
import type { OwnFormat } from '../support/output-file';
import { readRegularFile } from '../support/regular-file';

/**
 * Results of stages without an output file, kept for people in build/, which nobody edits or commits and which is no
 * output of a task.
 */
export const keptPaths = (root: string) => {
  const folder = join(root, 'build', 'results');
  return {
    folder,
    verdicts: join(folder, 'verdicts.ndjson'),
    replay: join(folder, 'replay.json'),
    compare: join(folder, 'compare.json'),
    hotSpots: join(folder, 'hot-spots.json'),
    explained: join(folder, 'explained.json'),
    /** Lines of the source before an edit that the captured dispatches ran. */
    capturedLines: join(folder, 'captured-lines.json'),
  };
};

/** Format of report.json, which has the last verdict whole. */
export const reportFormat: OwnFormat = { schema: 'kernloop.report' };

/** Number of verdicts that are kept. */
const mostVerdicts = 200;
const mostFileBytes = 1 << 20;

const keptVerdictSchema = z.looseObject({
  at: z.string(),
  verdict: z.string(),
  summary: z.string(),
  code: z.string(),
  code_object_sha256: z.string(),
  capture_sha256: z.string(),
  device: z.string(),
  compared_bytes: z.number(),
  differing_bytes: z.number(),
});
export type KeptVerdict = z.output<typeof keptVerdictSchema>;

export const keptResultSchema = z.looseObject({
  schema: z.literal('kernloop.kept/1'),
  at: z.string(),
  /** Digest of the code that was replayed. */
  code_object_sha256: z.string(),
  result: z.unknown(),
});

/** Verdicts, oldest first. An invalid line, as an editor or a full disk may leave it, does not lose the others. */
export function readVerdicts(root: string): KeptVerdict[] {
  const path = keptPaths(root).verdicts;
  if (!existsSync(path) || statSync(path).size > mostFileBytes) return [];
  return readRegularFile(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const parsed = keptVerdictSchema.safeParse(jsonOf(line));
      return parsed.success ? [parsed.data] : [];
    })
    .slice(-mostVerdicts);
}

export function keepVerdict(root: string, verdict: Omit<KeptVerdict, 'at'>, deps: Deps): void {
  keeping(deps, () => {
    const rows = [...readVerdicts(root), { at: deps.clock.now().toISOString(), ...verdict }].slice(-mostVerdicts);
    writeFileAtomic(keptPaths(root).verdicts, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  });
}

export function keepResult(path: string, codeObject: string, result: unknown, deps: Deps): void {
  keeping(deps, () => {
    const at = deps.clock.now().toISOString();
    writeJson(path, { schema: 'kernloop.kept/1', at, code_object_sha256: codeObject, result });
  });
}

/** Errors are ignored: the requested result exists without the kept copy, and a reproducer may be read-only. */
function keeping(deps: Deps, keep: () => void): void {
  try {
    keep();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    const { what, hint } = asKernloopError(error);
    deps.report.info(`this result is not kept for \`kernloop report\`: ${what}; ${hint}`);
  }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
