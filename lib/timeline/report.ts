import { formatCount, table, type Reporter } from '../support/report';
import { duration } from './page';
import { timelineResultSchema, type TimelineResult } from './result';
import type { Summary } from './summary';
import type { TimelineFacts } from './timeline';

export function timelineResult(facts: TimelineFacts, summary: Summary): TimelineResult {
  const statistics = [...summary.rows.values()].map(({ lengths, least, payloadBytes, ...row }) => ({
    ...row,
    least: Number.isFinite(least) ? least : 0,
    payload_bytes: payloadBytes,
    lengths: Array.from(lengths, (count: number | undefined) => count ?? 0),
  }));
  const { hostRanges, ...rest } = facts;
  const result: TimelineResult = {
    ...rest,
    zero: String(facts.zero),
    ranks: facts.ranks.map(({ errorNs, dropped, ...rank }) => ({
      ...rank,
      dropped: String(dropped),
      error_ns: errorNs,
    })),
    statistics,
    host_ranges: hostRanges,
    notes: [...facts.notes],
  };
  return timelineResultSchema.parse(result);
}

/** Prints the timeline for people: a row per rank, and one per event. */
export function printTimeline({ unit, ranks, statistics, notes, ...rest }: TimelineResult, report: Reporter): void {
  const length = (value: number): string => (unit === 'ns' ? duration(value) : formatCount(Math.round(value)));
  for (const { rank, device, kept, dropped, open, reversed, error_ns: errorNs } of ranks) {
    const parts = [
      `${formatCount(kept)} events`,
      `${dropped} dropped`,
      ...(open > 0 ? [`${formatCount(open)} never ended`] : []),
      ...(reversed > 0 ? [`${formatCount(reversed)} end before they start`] : []),
      ...(errorNs === null ? [] : [`clock within ${duration(errorNs)} of the host's`]),
    ];
    report.result(`rank ${rank}${device === '' ? '' : ` (${device})`}: ${parts.join(', ')}`);
    if (dropped !== '0')
      report.warn(`rank ${rank} dropped ${dropped} events: there was no room; enable(max_events) gives more`);
  }
  const rows = statistics.map((row) => {
    const over = row.count - row.open - row.reversed;
    const mean = over > 0 ? length(row.total / over) : '';
    return [
      row.rank < 0 ? '' : String(row.rank),
      row.name,
      formatCount(row.count),
      length(row.least),
      mean,
      length(row.most),
    ];
  });
  const head = ['rank', unit === 'ns' ? 'event' : 'event (steps)', 'count', 'least', 'mean', 'most'];
  if (rows.length > 0) for (const line of table([head, ...rows])) report.result(line);
  if (rest.flows > 0) report.result(`${formatCount(rest.flows)} arrows between ranks`);
  for (const note of notes) report.info(note);
}
