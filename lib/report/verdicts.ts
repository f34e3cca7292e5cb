import { launchesOf } from '../profile/launches-of';
import type { Reproducer } from '../reproducer/reproducer';
import { readVerdicts, type KeptVerdict } from '../reproducer/kept-results';
import { absent, chart, moment, tableOf, type Cell } from '../page/parts';
import { coded, markup, shortened, type Html } from '../page/html';
import { counted, formatCount } from '../support/format';
import { placeOfWave } from '../replay/fault-words';
import { editedLineWords, ofCapturedInput, unseenWords } from '../validate/edited-lines-text';
import type { Race, RaceAccess, Report } from '../validate/report-json';
import { zeros } from '../validate/run-case';
import type { CommandOn } from './commands';
import { hasEnded } from './differences';
import { lacking, type Body, type Left } from './left';
import type { PlaceNames } from './place-names';

const classOf = (verdict: string): string =>
  verdict === 'pass' ? 'pass' : verdict === 'vacuous' || verdict === doubtfulPass ? 'doubt' : 'fail';

const doubtfulPass = 'pass with doubts';

/** The verdict of a report, or the word for a pass that no replay showed for the whole edit. */
export const verdictOf = ({ verdict, edited_lines: lines }: Pick<Report, 'verdict' | 'edited_lines'>): string =>
  verdict === 'pass' && lines && unseenWords(lines) !== '' ? doubtfulPass : verdict;

/** Class of the banner, by the worst of the verdicts: not that of a pass while a kernel beside it has no verdict. */
export function leadClass(verdicts: readonly string[]): string {
  const judged = verdicts.filter((one) => one !== notJudged).map(classOf);
  const classes = judged.length > 0 && judged.length < verdicts.length ? [...judged, 'doubt'] : judged;
  const worst = ['fail', 'doubt', 'pass'].find((one) => classes.some((each) => each === one));
  return worst === undefined ? 'verdict' : `verdict is-${worst}`;
}

/** Word for a reproducer without a verdict. */
export const notJudged = 'not judged';

export const verdictWord = (verdict: string): Html =>
  markup`<span class="${classOf(verdict)}">${verdict.toUpperCase()}</span>`;

/** The answer, first on the page. `changed`: the difference between what was judged and what is there now. */
export function verdictLead(
  left: Left<Report>,
  reproducer: Reproducer,
  names: PlaceNames,
  changed: string | null,
  command: CommandOn,
): Html {
  if (left.value === null) return left.why;
  const { summary, code, variant, device, fault } = left.value;
  const word = verdictOf(left.value);
  const wave = fault === null || fault === undefined ? null : placeOfWave(fault);
  return markup`<p class="${leadClass(changed === null ? [word] : [word, notJudged])}">${verdictWord(word)} ${coded(names.inText(summary))}</p>
    ${changed === null ? '' : markup`<p class="doubt">${coded(`This is the verdict before a change. Since then: ${changed}. \`${command('validate')}\` judges it.`)}</p>`}
    ${wave === null ? '' : markup`<p>${coded(`Faulted in ${wave}.`)}</p>`}
    ${editedLineWords(left.value, () => launchesOf(reproducer)).map((words) => markup`<p class="doubt">${coded(words)}</p>`)}
    <p class="muted">
      ${ofCapturedInput(left.value).map((words) => markup`${coded(words)}.<br>`)}
      ${code === 'variant' ? `The variant ${variant ?? ''}` : 'The captured code'}, judged on ${device.identity}.
    </p>`;
}

export async function verdictsBody(
  root: string,
  left: Left<Report>,
  names: PlaceNames,
  command: CommandOn,
): Promise<Body> {
  const rows = readVerdicts(root);
  if (rows.length === 0 && left.value === null) return lacking(left);
  // A summary may be long, and the page begins with the last one.
  const words = (summary: string): Html =>
    summary === left.value?.summary
      ? markup`<span class="muted">as at the top of this page</span>`
      : markup`${shortened(names.inText(summary), 600)}`;
  const replays = left.value === null ? [] : replaysOf(left.value);
  const dispatches = left.value?.dispatches ?? [];
  return markup`${rows.length > 0 ? await history(rows, words) : absent('No verdict was kept; this keeps each from now on:', command('validate'))}
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
              hasEnded(one.verdict) ? one.differing_bytes : '',
              words(one.summary),
            ]),
          )
        : ''
    }
    ${
      replays.length > 0
        ? tableOf(
            'Replays of the last verdict',
            ['order of waves', 'unwritten memory held', 'verdict', 'bytes that differ', 'races found'],
            replays,
          )
        : ''
    }`;
}

/** Rows of all replays, the one in the adverse order last: races are looked for there only. */
function replaysOf({ replays, adverse, races = [] }: Report): Cell[][] {
  const rows = replays.map((one): Cell[] => [
    `${one.seed === null ? 'of the device' : `seed ${one.seed}`}${one.machine_in_use ? ', on a machine in use' : ''}`,
    one.poison,
    { shown: verdictWord(one.verdict), sort: one.verdict },
    hasEnded(one.verdict) ? one.differing_bytes : '',
    'not looked for',
  ]);
  if (!adverse) return rows;
  const isHeldAgainst = adverse.verdict === 'pass' || adverse.captured === null || adverse.captured.verdict === 'pass';
  const verdict = races.length > 0 ? 'fail' : adverse.verdict;
  return [
    ...rows,
    [
      `adverse, seed ${adverse.seed}${isHeldAgainst ? '' : '; not held against the variant: the captured code fails there, too'}`,
      `${zeros}; 0 in LDS, private memory and registers`,
      { shown: verdictWord(verdict), sort: verdict },
      hasEnded(adverse.verdict) ? adverse.differing_bytes : '',
      // Findings are counted by place of the code; those of one array are one race.
      `${formatCount(races.length)} new; waves raced at ${counted(adverse.findings, 'place')} of the code`,
    ],
  ];
}

/** Races that fail the variant, with both accesses. */
export function racesBody(races: readonly Race[], names: PlaceNames): Html {
  return tableOf(
    'Races that the captured code does not have',
    ['where', 'bytes', 'the later access', 'the earlier one', 'what is missing'],
    races.map(
      ({ where, offset, address, bytes, accesses: [later, earlier], missing_wait: wait, stale_cache: cache }) => [
        where === null ? address : `${names.inText(where)}${offset === null ? '' : `, byte ${formatCount(offset)}`}`,
        bytes,
        accessWords(later),
        accessWords(earlier),
        wait ?? cache ?? 'a barrier or another order between the two',
      ],
    ),
  );
}

const accessWords = (one: RaceAccess | undefined): string =>
  one === undefined
    ? 'not known'
    : `${one.access}, ${one.source ?? `at ${one.pc_offset}`}: ${one.instruction}; workgroup ${one.workgroup.join(', ')}, wave ${one.wave}`;

/** Number of labels that an axis of verdicts has room for. */
const mostLabels = 10;

async function history(rows: readonly KeptVerdict[], words: (summary: string) => Html): Promise<Html> {
  const plotted = rows.map(({ verdict, differing_bytes: bytes }, index) => ({ run: index + 1, verdict, bytes }));
  const verdicts = [...new Set(rows.map(({ verdict }) => verdict))];
  const picture =
    // Marks that are all alike say nothing.
    verdicts.length < 2
      ? ''
      : await chart(
          {
            width: 640,
            height: 20 * verdicts.length + 10,
            data: { values: plotted },
            mark: { type: 'point', filled: true, opacity: 1, size: 70 },
            encoding: {
              x: {
                field: 'run',
                type: 'quantitative',
                title: 'verdicts, the last one right',
                scale: { domain: [0.5, rows.length + 0.5], nice: false },
                axis: { values: numbersUpTo(rows.length), format: 'd', grid: false },
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
        { shown: moment(one.at), sort: one.at },
        { shown: verdictWord(one.verdict), sort: one.verdict },
        one.code,
        markup`<code class="address">${one.code_object_sha256.slice(0, 12)}</code>`,
        hasEnded(one.verdict) ? one.differing_bytes : '',
        words(one.summary),
      ]),
  );
  return markup`${table}${picture}`;
}

/** The numbers at an axis: whole ones, each once. */
function numbersUpTo(last: number): number[] {
  const step = Math.ceil(last / mostLabels);
  return Array.from({ length: Math.floor(last / step) }, (_, index) => (index + 1) * step);
}
