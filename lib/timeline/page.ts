import { formatCount } from '../support/report';
import type { EventStatistics, Summary } from './summary';
import type { TimelineFacts } from './timeline';

/** A page of its own: nothing is loaded from anywhere, and nothing in it runs. */
export function pageOf(title: string, facts: TimelineFacts, summary: Summary, picture: string): string {
  const { unit, ranks, notes, alignment } = facts;
  const length = (value: number): string => (unit === 'ns' ? duration(value) : `${formatCount(value)} steps`);
  const rankRows = ranks.map(({ rank, device, kept, dropped, open, reversed, clock, resolution, errorNs }) => [
    String(rank),
    device,
    formatCount(kept),
    String(dropped),
    formatCount(open),
    formatCount(reversed),
    `${clock}, ${resolution === 0 ? 'resolution not measured' : `${resolution} ${unit}`}`,
    errorNs === null ? (alignment === 'none' ? 'not aligned' : '') : `± ${duration(errorNs)}`,
  ]);
  const eventRows = [...summary.rows.values()].sort(byRankAndTotal).map((row) => {
    const over = row.count - row.open - row.reversed;
    return [
      row.rank < 0 ? '' : String(row.rank),
      row.name,
      formatCount(row.count),
      over === 0 ? '' : length(row.total),
      over === 0 ? '' : length(row.least),
      over === 0 ? '' : length(row.total / over),
      over === 0 ? '' : length(row.most),
      formatCount(row.payloadBytes),
    ];
  });
  const body = [
    `<h1>${escaped(title)}</h1>`,
    `<p>${facts.flows} arrows between ranks, ${facts.hostRanges} ranges of the host, ${facts.launches} launches. ${length(summary.lastEnd)} from the first to the last.</p>`,
    ...(notes.length > 0 ? [`<ul>${notes.map((note) => `<li>${escaped(note)}</li>`).join('')}</ul>`] : []),
    '<h2>Ranks</h2>',
    tableOf(
      ['rank', 'device', 'kept', 'dropped', 'never ended', 'ends before start', 'clock', 'to the host'],
      rankRows,
    ),
    '<h2>Events</h2>',
    tableOf(['rank', 'event', 'count', 'total', 'least', 'mean', 'most', 'payload bytes'], eventRows),
    '<h2>Timeline</h2>',
    `<div class="picture">${picture}</div>`,
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>${style}</style></head><body>
${body.join('\n')}
</body></html>
`;
}

const style = `body{font:14px/1.5 system-ui,sans-serif;margin:2em auto;max-width:1100px;padding:0 1em;color:#222}
table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid #ddd}
td:nth-child(2),th:nth-child(2){text-align:left}.picture{overflow-x:auto}`;

function byRankAndTotal(a: EventStatistics, b: EventStatistics): number {
  return a.rank - b.rank || b.total - a.total || a.name.localeCompare(b.name);
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${line(head, 'th')}</thead><tbody>${rows.map((row) => line(row, 'td')).join('\n')}</tbody></table>`;
}

export function duration(ns: number): string {
  if (ns < 1000) return `${Math.round(ns)} ns`;
  if (ns < 1e6) return `${(ns / 1e3).toFixed(2)} µs`;
  return ns < 1e9 ? `${(ns / 1e6).toFixed(2)} ms` : `${(ns / 1e9).toFixed(3)} s`;
}

/** Names come from files. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
