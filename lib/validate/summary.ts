import { bytesOf } from '../reproducer/signature';
import type { Selfcheck } from '../archive/capture-files';
import { formatCount } from '../support/report';
import { keptStateWords } from '../replay/kept-state';
import type { ResultEvent } from '../replay/replay-events';
import type { Adverse } from './adverse';
import { bytesInFreeOrder, summaryOfFreeOrder } from './free-order-text';
import { summaryOfRaces } from './races';
import { droppedOf, floatAtomicWords, summaryOfDropped } from './float-atomics';
import { initializerWords } from './initializers';
import { newPastLds, pastLdsWords, summaryOfPastLds } from './past-lds';
import type { DispatchReport } from './report-json';
import type { ElementPlan } from './tolerance';
import { summaryOfTolerance } from './tolerance-text';
import { untouchedReadWords } from './untouched-text';

type Unsummed = Omit<DispatchReport, 'summary'>;

/** Text before everything else: a pass with a forced type may be wrong. */
export function forcedTypes({ forced }: Pick<ElementPlan, 'forced'>): string[] {
  return forced.length > 0 ? [`--force-dtype: ${forced.join(', ')}`] : [];
}

/** Bytes written with the values that memory already held, which launches that start with other values reveal. */
export function rewrittenWords({ rewritten_bytes: bytes }: Pick<Unsummed, 'rewritten_bytes'>): string {
  return bytes > 0 ? ` and ${formatCount(bytes)} overwritten with what they held` : '';
}

/** Evidence for a result line in addition to the report. */
interface Evidence {
  selfcheck: Selfcheck;
  result: ResultEvent;
  adverse: Adverse | null;
  refuted?: boolean | undefined;
}

/** Result line without its verdict. */
export function summaryOf(report: Unsummed, evidence: Evidence): string {
  const { result, adverse } = evidence;
  const reason = result.reason ?? null;
  const extra = extraOf(report, evidence);
  const compared = `${formatCount(report.compared_bytes)} bytes compared with what the app computed`;
  const differ = `${formatCount(report.differing_bytes)} of ${compared} differ`;
  const unjudged =
    report.unjudged_bytes > 0
      ? `${formatCount(report.unjudged_bytes)} bytes NOT judged: the order of waves decides what they hold; `
      : '';
  switch (report.verdict) {
    case 'pass':
      return `${unjudged}${compared} in ${replaysOf(report)}, ${formatCount(report.changed_bytes)} of them changed by the kernel${rewrittenWords(report)}${extra}`;
    case 'vacuous':
      return `${reason ?? `the captured dispatch changes no byte${report.ignored_bytes > 0 ? ' beside what is ignored' : ''}, so that nothing can be compared`}${report.unjudged_bytes > 0 ? '; the role "ignore" leaves an argument out where that is meant' : ''}${extra}`;
    case 'fail': {
      const [race] = report.races ?? [];
      if (race)
        return `${unjudged}${summaryOfRaces(race, report.races?.length ?? 1)}${report.differing_bytes > 0 ? `; ${differ}` : ''}${extra}`;
      const dropped = droppedOf(report.float_atomics);
      if (dropped.length > 0)
        return `${unjudged}${summaryOfDropped(dropped)}${report.differing_bytes > 0 ? `; ${differ}` : ''}${extra}`;
      const pastLds = newPastLds(report.past_lds);
      if (pastLds.length > 0)
        return `${unjudged}${summaryOfPastLds(pastLds)}${report.differing_bytes > 0 ? `; ${differ}` : ''}${extra}`;
      const inThisOrderAlone =
        adverse &&
        !result.machine_in_use &&
        report.replays.every(({ verdict, machine_in_use: inUse }) => verdict !== 'fail' || inUse);
      const why = inThisOrderAlone
        ? ' when waves run in the adverse order and find 0 where nobody wrote: the result depends on one of the two'
        : '';
      if (result.stray_bytes) {
        const rest = result.stray_bytes < report.differing_bytes ? `; ${differ}` : ', with what lay there already';
        return `${unjudged}${strayWords(report)}${rest}${extra}`;
      }
      const reads = untouchedReadWords(report);
      if (reads) return `${unjudged}${reads}; ${differ}${extra}`;
      return `${unjudged}${reason ? `${reason}; ` : ''}${differ}${why || whyFilled(report, result) || inUseWords(result)}${extra}`;
    }
    case 'limit':
      return `the replay ran past its limit${stopWords(report, evidence)}`;
    case 'fault':
      return `the device faulted${stopWords(report, evidence)}`;
  }
}

/** Names bytes that are not judged for writes: in repeated launches it does not show if code leaves them out. */
function rereadWords({ reread = [] }: Selfcheck): string[] {
  return reread.map(
    ({ region, variable, bytes }) =>
      `NOT judged: whether ${formatCount(bytes)} bytes of ${region ?? variable ?? '?'} are written, which held the same before and are read as well`,
  );
}

/** Explains writes where the captured code neither reads nor writes. */
function strayWords({ stray = [] }: Unsummed): string {
  const [first] = stray;
  const bytes = stray.reduce((sum, one) => sum + one.bytes, 0);
  const more = stray.length > 1 ? ` and in ${stray.length - 1} more` : '';
  return `the variant writes ${formatCount(bytes)} bytes at ${first?.region ?? first?.variable ?? '?'} at offset ${formatCount(first?.offset ?? 0)}${more} that the captured code does not`;
}

/** Explains a failed launch that started with other values in memory that the captured code overwrites. */
function whyFilled(
  { differing_bytes: differing }: Unsummed,
  { fill, unwritten_bytes: unwritten }: ResultEvent,
): string {
  if (!fill) return '';
  if (unwritten && unwritten === differing)
    return ': the variant does not write them, and the captured code does, whatever they held before';
  return `: the result depends on what memory held that the captured code overwrites without reading it${unwritten ? `, and ${formatCount(unwritten)} of them are not written at all` : ''}`;
}

/**
 * Usual replays first launch with the app's values, then with others: if one of the latter stops, the memory content is
 * the cause. No such launch precedes the adverse replay, so only the device can say why it stopped.
 */
function stopWords(report: Unsummed, { result, adverse }: Evidence): string {
  const what = report.fault ? `: ${report.fault}` : '';
  const reads = untouchedReadWords(report);
  if (reads) return `${what}; ${reads}`;
  return adverse ? ` in the adverse order${what}` : `${what}${whyFilled(report, result)}${inUseWords(result)}`;
}

/** Describes a variant that detects the judge's poison or clocks. */
function inUseWords({ machine_in_use: inUse }: ResultEvent): string {
  return inUse
    ? ' on a machine in use (small numbers where nobody wrote, clocks that have run for hours, any compute unit, a queue with other packets); the captured code gives the same there'
    : '';
}

function extraOf(report: Unsummed, { selfcheck, adverse, refuted }: Evidence): string {
  const judged: string[] = [];
  judged.push(...initializerWords(report.initializers));
  judged.push(...floatAtomicWords(report.float_atomics));
  judged.push(...pastLdsWords(report.past_lds));
  if (report.state) judged.push(keptStateWords(report.state));
  if (report.tolerance) judged.push(summaryOfTolerance(report.tolerance, report.regions));
  const inRanges = report.varying_bytes - bytesInFreeOrder(report.free_order);
  if (inRanges > 0) judged.push(`${formatCount(inRanges)} bytes judged by ${describeRanges(selfcheck)}`);
  judged.push(...summaryOfFreeOrder(report.free_order));
  if (report.rewritten_bytes > 0) judged.push(...rereadWords(selfcheck));
  if (refuted)
    judged.push(
      'the captured code itself depends on what it overwrites, which its self-check did not see: that was not judged; capture it again',
    );
  const dropped = selfcheck.shrink?.dropped_bytes ?? 0;
  if (dropped > 0)
    judged.push(
      `${formatCount(dropped)} bytes were dropped from the capture (--shrink): code that touches them faults`,
    );
  if (report.ignored_bytes > 0) judged.push(`${formatCount(report.ignored_bytes)} bytes ignored as workspace`);
  const doubt = report.verdict === 'fail' && !report.races?.length ? doubtOf(report, selfcheck) : null;
  if (doubt) judged.push(doubt);
  if (adverse && !adverse.counts)
    judged.push(
      'in the adverse order the captured code itself does not repeat what the app computed, so that this was not judged',
    );
  if (report.machine_in_use?.judged === false)
    judged.push('on a machine in use the captured code itself gives another result, so that this was not judged');
  return judged.map((part) => `; ${part}`).join('');
}

function replaysOf({ replays, adverse }: Unsummed): string {
  const usual = `${replays.length} ${replays.length === 1 ? 'replay' : 'replays'}`;
  return adverse ? `${usual} and one in adverse order${partOf(adverse)}` : usual;
}

/** Long dispatches run only partly in the adverse order. */
function partOf({ wave_instructions: ran, of_wave_instructions: all }: NonNullable<Unsummed['adverse']>): string {
  return all === null || ran >= all ? '' : ` (${formatCount(ran)} of ${formatCount(all)} wave-instructions)`;
}

function describeRanges({ calibration }: Selfcheck): string {
  if (!calibration) return 'their recorded range';
  const confidence = `${Math.round(calibration.confidence * 100)} % confidence`;
  return `the intervals of ${calibration.replays} replays (${confidence}${calibration.is_settled ? '' : '; more replays would have shown more that varies'})`;
}

/** Warns if the judge itself may be wrong. */
function doubtOf({ code, differences }: Unsummed, { varying, calibration }: Selfcheck): string | null {
  if (code === 'captured')
    return 'this is the captured code itself: its result varies by more than the self-check saw; capture it again';
  const inRanges = differences.every(({ region, variable, offset }) =>
    varying.some(
      (range) =>
        range.region === region &&
        range.variable === variable &&
        offset >= range.offset &&
        offset < range.offset + range.count * bytesOf(range.dtype),
    ),
  );
  if (calibration || varying.length === 0 || differences.length === 0 || !inRanges) return null;
  return 'all of it in ranges that an older self-check took from few replays: capturing again makes better ones';
}
