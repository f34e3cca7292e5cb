import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { captureDigest, readCapture } from '../archive/capture-files';
import { chooseCode, type Reproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import { readJson } from '../support/schema';
import { unseenWords } from '../validate/edited-lines-text';
import { reportSchema, type Report } from '../validate/report-json';
import type { LastVerdict } from './result';

/** The last verdict, and whether validate would judge the same today. */
export function lastVerdict(reproducer: Reproducer): LastVerdict | null {
  if (!existsSync(reproducer.report)) return null;
  const report = readJson(reproducer.report, reportSchema, 'FILE_UNREADABLE', '');
  const changed = changedSince(report, reproducer);
  const { verdict, summary, code, edited_lines: lines } = report;
  const doubts = verdict === 'pass' && lines ? unseenWords(lines).replace(/; $/, '') || null : null;
  return { verdict, summary, code, doubts, current: changed === null, changed };
}

/** Difference between the judged code and captures and those of today, in words; null if there is none. */
function changedSince(report: Report, reproducer: Reproducer): string | null {
  try {
    const code = chooseCode(reproducer, undefined);
    const now = code.kind === 'captured' ? reproducer.config.code_object : code.sha256;
    if (now !== report.code_object_sha256)
      return code.kind === 'captured' ? 'the edit was taken back' : `${code.shown} is other code`;
    const other = report.dispatches.find(
      ({ capture, capture_sha256: sha256 }) => captureDigest(readCapture(join(reproducer.root, capture))) !== sha256,
    );
    return other === undefined ? null : `${other.capture} is another capture`;
  } catch (error) {
    if (error instanceof KernloopError) return error.what;
    throw error;
  }
}
