import { formatCount } from '../support/report';
import type { Delays, DispatchReport } from './report-json';

/** Adds the delays to the report. A failure that proves nothing comes first, because the pass lacks that check. */
export function withDelays(report: DispatchReport): DispatchReport {
  const { delays } = report;
  if (!delays) return report;
  if (delays.seed !== null)
    return { ...report, summary: `NOT judged under delays: ${delays.reason ?? ''}; ${report.summary}` };
  return { ...report, summary: `${report.summary}; ${delayWords(delays)}` };
}

/** Text about delays for a pass. */
export function delayWords({ judged, reason, replays, left, ...held }: Delays): string {
  if (!judged) return `not judged under delays: ${reason ?? ''}`;
  const beside = left > 0 ? ` (not in functions that are not inlined: ${formatCount(left)} accesses and barriers)` : '';
  return `the same in ${formatCount(replays)} replays with random delays${halvesWords(held)}${beside}`;
}

function halvesWords({ halves, of_halves: of }: Pick<Delays, 'halves' | 'of_halves'>): string {
  const lacking = '; not judged with half of the blocks late';
  if (of === 0) return `${lacking}: the kernel itself has no access to global memory`;
  if (halves === 0) return `${lacking}: there was no time for any of ${formatCount(of)} launches`;
  if (halves === of) return ` and ${formatCount(of)} with half of the blocks late`;
  return ` and ${formatCount(halves)} of ${formatCount(of)} with half of the blocks late, for want of time`;
}

export function withDelayFailure(report: DispatchReport, { places, seed, half, late_stores }: Delays): DispatchReport {
  const where = places.length === 2 ? `${places[0]} and ${places[1]}` : (places[0] ?? 'a place that is not known');
  const how =
    report.verdict === 'fail'
      ? `${formatCount(report.differing_bytes)} of ${formatCount(report.compared_bytes)} bytes differ from what the app computed`
      : report.verdict === 'fault'
        ? `the device faults${report.fault === null ? '' : `: ${report.fault}`}`
        : 'the replay runs past its limit';
  const late = half === null ? `warps wait there (seed ${seed})` : 'half of the blocks wait there';
  const cause = late_stores
    ? `a missing fence: ${where}. If other blocks see the second before the first, as nothing forbids,`
    : `a race or a missing barrier: ${where}. If ${late},`;
  return {
    ...report,
    summary: `${cause} ${how}; those of the captured code do not`,
  };
}
