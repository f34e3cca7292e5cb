import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { ReplaySession } from '../replay/session';
import { isOfSource, sourceOfFault } from '../replay/fault-source';
import type { SourceLine } from '../toolchain/line-table';
import { placesOfEdit } from './edit';
import { newPastLds } from './past-lds';
import type { DispatchReport } from './report-json';

/**
 * Line with the place of the source that a verdict concerns, for people and editors (.vscode/tasks.json): the
 * instruction that faulted, the first access that is wrong by itself, or else the edit. Null if the judged code is not recompile's result for that source.
 */
export function placeOfVerdict(
  reports: readonly DispatchReport[],
  session: Pick<ReplaySession, 'code' | 'facts' | 'reproducer'>,
): string | null {
  const { code, reproducer } = session;
  const { root } = reproducer;
  if (!isOfSource(code, reproducer)) return null;
  const fault = reports.map((one) => one.fault ?? '').find((text) => text !== '') ?? '';
  const wrong = sourceOfFault(fault, session) ?? placeOfAccess(reports, root);
  if (wrong) return `at ${shown(root, wrong.file)}:${wrong.line}`;
  const [first, ...others] = placesOfEdit(reproducer);
  if (first === undefined) return null;
  const more = others.length > 0 ? `, and ${others.length} more ${others.length === 1 ? 'place' : 'places'}` : '';
  return `edited at ${shown(root, first.file)}:${first.line}${more}`;
}

/** Source of the first access that is wrong by itself: a race, or one past the end of LDS. Null if there is none. */
export function placeOfAccess(reports: readonly DispatchReport[], root: string): SourceLine | null {
  const wrong = reports.flatMap(({ races = [], past_lds: pastLds }) => [
    ...races.flatMap(({ accesses: [first] }) => first?.source ?? []),
    ...newPastLds(pastLds).flatMap(({ source }) => source ?? []),
  ]);
  const [, file = '', line = ''] =
    wrong.map((text) => /^(.*):(\d+)$/.exec(text)).find((found) => existsSync(join(root, found?.[1] ?? ''))) ?? [];
  return line === '' ? null : { file, line: Number(line) };
}

const shown = (root: string, file: string): string => relative(process.cwd(), join(root, file));
