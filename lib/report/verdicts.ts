import { readVerdicts, type KeptVerdict } from '../reproducer/kept-results';
import { absent, chart, tableOf } from '../page/parts';
import { markup, type Html } from '../page/html';
import type { Report } from '../validate/report-json';
import type { Left } from './left';

const classOf = (verdict: string): string => (verdict === 'pass' ? 'pass' : verdict === 'vacuous' ? 'doubt' : 'fail');

export const verdictWord = (verdict: string): Html =>
  markup`<span class="${classOf(verdict)}">${verdict.toUpperCase()}</span>`;

/** The answer, first on the page. */
export function verdictLead(left: Left<Report>): Html {
  if (left.value === null) return left.why;
  const { verdict, summary, code, variant, device } = left.value;
  return markup`<p class="verdict">${verdictWord(verdict)} ${summary}</p>
    <p class="muted">
      ${code === 'variant' ? `The variant ${variant ?? ''}` : 'The captured code'}, judged on ${device.identity}.
    </p>`;
}

export async function verdictsBody(root: string, left: Left<Report>): Promise<Html> {
  const rows = readVerdicts(root);
  const replays = left.value?.replays ?? [];
  const dispatches = left.value?.dispatches ?? [];
  return markup`${rows.length > 0 ? await history(rows) : absent('No verdict was kept: `kernloop validate` keeps each from now on.')}
    <p class="muted">
      Kept where validate ran, 200 at most. What Nx brought back from its cache did not run again, and verdicts on other
      machines are not here.
    </p>
    ${
      dispatches.length > 1
        ? tableOf(
            'Captured dispatches of the last verdict',
            ['dispatch', 'verdict', 'bytes compared', 'bytes that differ', 'summary'],
            dispatches.map((one) => [
              one.dispatch,
              { shown: verdictWord(one.verdict), sort: one.verdict },
              one.compared_bytes,
              one.differing_bytes,
              one.summary,
            ]),
          )
        : ''
    }
    ${
      replays.length > 0
        ? tableOf(
            'Replays of the last verdict',
            ['order of waves', 'unwritten memory held', 'verdict', 'bytes that differ'],
            replays.map(({ seed, poison, verdict, differing_bytes: bytes }) => [
              seed ?? 'of the device',
              poison,
              { shown: verdictWord(verdict), sort: verdict },
              bytes,
            ]),
          )
        : ''
    }`;
}

async function history(rows: readonly KeptVerdict[]): Promise<Html> {
  const plotted = rows.map(({ verdict, differing_bytes: bytes }, index) => ({ run: index + 1, verdict, bytes }));
  const verdicts = [...new Set(rows.map(({ verdict }) => verdict))];
  const picture = await chart(
    {
      width: 640,
      height: 20 * verdicts.length + 10,
      data: { values: plotted },
      mark: { type: 'point', filled: true, size: 70 },
      encoding: {
        x: {
          field: 'run',
          type: 'quantitative',
          title: 'verdicts, the last one right',
          axis: { tickMinStep: 1, format: 'd' },
        },
        y: { field: 'verdict', type: 'nominal', title: null },
        shape: { field: 'verdict', type: 'nominal', legend: null },
        color: {
          field: 'verdict',
          type: 'nominal',
          legend: null,
          scale: {
            domain: verdicts,
            range: verdicts.map((one) =>
              one === 'pass' ? 'var(--good)' : one === 'vacuous' ? 'var(--warn)' : 'var(--bad)',
            ),
          },
        },
      },
    },
    `The last ${rows.length} verdicts: ${verdicts.map((one) => `${rows.filter(({ verdict }) => verdict === one).length} ${one}`).join(', ')}.`,
  );
  const table = tableOf(
    'Verdicts, the last one first',
    ['when', 'verdict', 'code', 'digest', 'bytes that differ', 'summary'],
    rows
      .toReversed()
      .map((one) => [
        one.at,
        { shown: verdictWord(one.verdict), sort: one.verdict },
        one.code,
        markup`<code>${one.code_object_sha256.slice(0, 12)}</code>`,
        one.differing_bytes,
        one.summary,
      ]),
  );
  return markup`${picture}${table}`;
}
