import { absent, paragraphs, tableOf } from '../page/parts';
import { markup, type Html } from '../page/html';
import type { Page } from '../page/page';
import { counted, formatCount } from '../support/format';
import type { EventStatistics, Summary } from './summary';
import type { TimelineFacts } from './timeline';

/** Page with the content of files of events, in one file. */
export function pageOf(title: string, facts: TimelineFacts, summary: Summary, picture: Html): Page {
  const { unit, ranks, notes, alignment } = facts;
  const length = (value: number): { shown: string; sort: number } => ({
    shown: unit === 'ns' ? duration(value) : `${formatCount(value)} steps`,
    sort: value,
  });
  const rankRows = ranks.map(({ rank, device, kept, dropped, open, reversed, clock, resolution, errorNs }) => [
    rank,
    device,
    kept,
    Number(dropped),
    open,
    reversed,
    `${clock}, ${resolution === 0 ? 'resolution not measured' : unit === 'ns' ? `${resolution} ns` : counted(resolution, 'step')}`,
    errorNs === null ? (alignment === 'none' ? 'not aligned' : '') : `± ${duration(errorNs)}`,
  ]);
  const eventRows = [...summary.rows.values()].sort(byRankAndTotal).map((row) => {
    const over = row.count - row.open - row.reversed;
    const lengths = over === 0 ? ['', '', '', ''] : [row.total, row.least, row.total / over, row.most].map(length);
    return [row.name, row.rank < 0 ? '' : row.rank, row.count, ...lengths, row.payloadBytes];
  });
  const last = length(summary.lastEnd).shown;
  const events = ranks.reduce((sum, { kept }) => sum + kept, 0);
  const parts = [
    `${counted(events, 'event')} of ${counted(ranks.length, 'rank')}`,
    ...(facts.flows > 0 ? [`${counted(facts.flows, 'arrow')} between ranks`] : []),
    ...(facts.hostRanges > 0 ? [`${counted(facts.hostRanges, 'range')} of the host`] : []),
    ...(facts.launches > 0 ? [counted(facts.launches, 'launch', 'launches')] : []),
  ];
  return {
    title,
    lead: markup`<p>${parts.join(', ')}; ${last} from the first to the last.</p>`,
    sections: [
      {
        id: 'ranks',
        title: 'Ranks',
        body: markup`${paragraphs(notes)}${tableOf(
          'Events and clock of each rank',
          [
            'rank',
            'device',
            'kept',
            'dropped',
            'never ended',
            'ends before start',
            'clock and its resolution',
            'error of the alignment to the host',
          ],
          rankRows,
        )}`,
      },
      {
        id: 'timeline',
        title: 'Timeline',
        body: summary.slices > 0 ? picture : absent('No event has a start and an end.'),
      },
      {
        id: 'events',
        title: 'Events',
        body: tableOf(
          'Events of each rank, the longest in sum first',
          ['event', 'rank', 'count', 'total', 'least', 'mean', 'most', 'payload bytes'],
          eventRows,
        ),
      },
    ],
  };
}

function byRankAndTotal(a: EventStatistics, b: EventStatistics): number {
  return a.rank - b.rank || b.total - a.total || a.name.localeCompare(b.name);
}

export function duration(ns: number): string {
  if (ns < 1000) return `${Math.round(ns)} ns`;
  if (ns < 1e6) return `${(ns / 1e3).toFixed(2)} µs`;
  return ns < 1e9 ? `${(ns / 1e6).toFixed(2)} ms` : `${(ns / 1e9).toFixed(3)} s`;
}
