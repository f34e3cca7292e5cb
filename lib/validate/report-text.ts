import { faultLines, faultSummary } from '../replay/fault-lines';
import { nameOfCode, type ReplaySession } from '../replay/session';
import { nameOfDispatch } from '../replay/captured-dispatches';
import type { Deps } from '../deps/deps';
import { launchesOf } from '../profile/launches-of';
import { editedLineWords, ofCapturedInput } from './edited-lines-text';
import { argumentText, extentText } from './own-launch';
import { raceLines } from './races';
import { regionNames, type RegionNames } from './region-names';
import { excerpt, regionTable } from './region-text';
import { kernelFile } from '../support/project-file-names';
import type { DispatchReport, Report, Verdict } from './report-json';
import { usualToleranceLine } from './usual-tolerance';

export const verdictLabels: Readonly<Record<Verdict, string>> = {
  pass: 'PASS',
  fail: 'FAIL',
  vacuous: 'VACUOUS',
  limit: 'FAIL',
  fault: 'FAIL',
};

/** Prints several dispatches each below its own line. The last line sums up; the place precedes it. */
export function printReport(
  report: Report,
  reports: readonly DispatchReport[],
  sessions: readonly [ReplaySession, ...ReplaySession[]],
  verbose: boolean,
  place: string | null,
  deps: Deps,
): void {
  const [session] = sessions;
  const { code, request } = session;
  // Each capture has regions of its own.
  const sessionOf = (one: Pick<Report, 'dispatch'>): ReplaySession =>
    sessions.find(({ dispatch }) => dispatch.dispatch === one.dispatch) ?? session;
  const lines = [`${report.kernel}: ${nameOfCode(code)}`];
  if (request.ownLaunch === true && code.kind === 'variant' && code.launch !== undefined) {
    const { grid, block, shared } = code.launch;
    lines.push(
      `launched as its source says: ${extentText(grid)} blocks of ${extentText(block)} threads, ${shared} bytes of shared memory`,
    );
  }
  if (request.ownLaunch === true && code.kind === 'variant' && code.configuration !== undefined) {
    lines.push(`launched as ${kernelFile} says: ${describeRequest(request)}`);
  }
  for (const one of reports) {
    const { dispatch, capture: shown } = one;
    const names = namesOf(sessionOf(one));
    if (reports.length > 1)
      lines.push(
        `${nameOfDispatch({ dispatch, shown })}: ${verdictLabels[one.verdict]} (${summaryWords(one, sessionOf(one))})`,
      );
    lines.push(...usualToleranceLine(one));
    lines.push(...raceLines(one.races ?? []).map((line) => names.inText(line)), ...regionLines(one, verbose, names));
  }
  for (const { dispatch, capture: shown, kernel } of report.not_judged.filter(isOfAnotherKernel))
    lines.push(`not judged: ${nameOfDispatch({ dispatch, shown })} is of ${kernel}; --capture ${dispatch} judges it`);
  lines.push(...editedLineWords(report, () => launchesOf(session.reproducer)), ...ofCapturedInput(report));
  const summed = sessionOf(reports.find(({ summary }) => report.summary.includes(summary)) ?? report);
  const { fault } = report;
  if (report.verdict === 'fault' && fault) lines.push(...faultLines(fault, summed));
  if (place !== null) lines.push(place);
  lines.push(`Result: ${verdictLabels[report.verdict]} (${summaryWords(report, summed)})`);
  for (const line of lines) deps.report.result(line);
}

/** The summary with memory by its parameters; a fault needs other words than the device's, too. */
const summaryWords = ({ verdict, summary }: Pick<Report, 'verdict' | 'summary'>, session: ReplaySession): string =>
  verdict === 'fault' ? faultSummary(summary, session) : namesOf(session).inText(summary);

const namesOf = ({ reproducer, capture }: ReplaySession): RegionNames => regionNames(reproducer.config, capture);

const isOfAnotherKernel = ({ reason }: Report['not_judged'][number]): boolean => reason === 'another kernel';

/** Regions of interest: those that differ, or all judged ones with a tolerance or --verbose. */
function regionLines(report: DispatchReport, verbose: boolean, names: RegionNames): string[] {
  const { regions, tolerance } = report;
  const shown = verbose || tolerance ? regions : regions.filter(({ differing_bytes: differing }) => differing > 0);
  const untyped = tolerance?.untyped ?? [];
  return [
    ...regionTable(shown, names),
    ...excerpt(report, names),
    ...(untyped.length > 0
      ? [`compared byte by byte, for want of a type (--dtype): ${untyped.map((id) => names.inText(id)).join(', ')}`]
      : []),
  ];
}

/** Launch of the first dispatch; sizes of the others may differ. */
function describeRequest({ grid, block, dynamicShared, args = [] }: ReplaySession['request']): string {
  const shown = (extent: string): string => extentText(extent.split(','));
  return [
    ...(grid === undefined ? [] : [`${shown(grid)} blocks`]),
    ...(block === undefined ? [] : [`blocks of ${shown(block)} threads`]),
    ...(dynamicShared === undefined ? [] : [`${dynamicShared} bytes of dynamic shared memory`]),
    ...args.map(argumentText),
  ].join(', ');
}
