import type { TopLevelSpec } from 'vega-lite';
import { absent, chart, facts, moment, tableOf, type Cell } from '../page/parts';
import { capitalized, markup, type Html } from '../page/html';
import { wordsOfTimer } from '../device/emulated-driver';
import { inCounterOrder } from '../replay/counter-order';
import type { Figured, ReplayResult } from '../replay/result';
import { keptPaths } from '../reproducer/kept-results';
import { counted } from '../support/format';
import type { CommandOn } from './commands';
import { readKept, type Kept } from './kept';
import { lacking, type Body } from './left';

/** Times on hardware; counts of wave-instructions on the software GPU. */
export async function timingBody(root: string, current: string | null, command: CommandOn): Promise<Body> {
  const paths = keptPaths(root);
  const compared = readKept(
    paths.compare,
    'How the variant compares with the captured code',
    command('replay', '--compare'),
  );
  if (compared.value) return resultBody(compared.value, current);
  const alone = readKept(paths.replay, 'What a replay takes', command('replay'));
  if (alone.value) return markup`${compared.why}${await resultBody(alone.value, current)}`;
  return alone.missing ? lacking(compared) : markup`${compared.why}${alone.why}`;
}

async function resultBody({ at, codeObject, result }: Kept, current: string | null): Promise<Html> {
  const sides: Side[] = [
    ...(result.baseline ? [{ name: 'captured', figures: result.baseline }] : []),
    { name: result.baseline ? 'variant' : 'replayed', figures: result },
  ];
  const hasTimes = sides.some(({ figures }) => figures.duration_ns !== null);
  return markup`<p class="muted">${capitalized(result.code)}, replayed ${moment(at)}.</p>
    ${stale(codeObject, current)}
    ${hasTimes ? await timesOf(result, sides) : absent('There are no times: the software GPU counts what is executed, and how long that takes there says nothing about a GPU.')}
    ${await countersOf(sides)}`;
}

interface Side {
  readonly name: string;
  readonly figures: Figured;
}

/** Note that a measurement belongs to code that has since been rebuilt. */
export const stale = (codeObject: string, current: string | null): Html | string =>
  current !== null && current !== codeObject
    ? markup`<p class="doubt">
        This is of other code than the last verdict is: of ${codeObject.slice(0, 12)}, not of ${current.slice(0, 12)}.
      </p>`
    : '';

async function timesOf(result: ReplayResult, sides: readonly Side[]): Promise<Html> {
  const { speed } = result;
  const values = sides.flatMap(({ name, figures }) =>
    figures.samples.slice(0, mostSamples).map((time) => ({ side: name, us: time / 1000 })),
  );
  const medians = sides.flatMap(({ name, figures: { duration_ns: one } }) =>
    one
      ? [
          {
            side: name,
            median: one.median / 1000,
            low: (one.ci95?.low ?? one.median) / 1000,
            high: (one.ci95?.high ?? one.median) / 1000,
          },
        ]
      : [],
  );
  const x = { type: 'quantitative', title: 'µs', scale: { zero: false } } as const;
  const spec: TopLevelSpec = {
    width: 640,
    height: { step: 60 },
    encoding: { y: { field: 'side', type: 'nominal', title: null, sort: null } },
    layer: [
      {
        data: { values },
        mark: { type: 'tick', opacity: 0.5, thickness: 1 },
        encoding: { x: { ...x, field: 'us' }, color: { field: 'side', type: 'nominal', legend: null } },
      },
      {
        data: { values: medians },
        mark: { type: 'rule', strokeWidth: 4 },
        encoding: { x: { ...x, field: 'low' }, x2: { field: 'high' } },
      },
      {
        data: { values: medians },
        mark: { type: 'point', filled: true, size: 80, color: 'var(--ink)' },
        encoding: { x: { ...x, field: 'median' } },
      },
    ],
  };
  const words = speed
    ? `${speed.verdict}: the variant takes ${speed.ratio.toPrecision(4)} of the time of the captured code${speed.ci95 ? `, 95 % interval ${speed.ci95.low.toPrecision(4)} to ${speed.ci95.high.toPrecision(4)}` : ', with too few rounds for an interval'} (${speed.rounds} rounds in ${speed.processes} processes).`
    : '';
  return markup`${words === '' ? '' : markup`<p><strong>${words}</strong></p>`}${await chart(spec, 'Each tick is one launch; the point is the median, and the bar its 95 % interval.')}
  ${tableOf(
    `${wordsOfTimer(result.timer)} in µs`,
    ['code', 'launches', 'median', 'interval from', 'to', 'least', '10 %', '90 %', 'most'],
    sides.flatMap(({ name, figures: { duration_ns: one } }): Cell[][] =>
      one
        ? [
            [
              name,
              one.count,
              ...[one.median, one.ci95?.low, one.ci95?.high, one.min, one.p10, one.p90, one.max].map((ns) =>
                ns === undefined ? '' : ns / 1000,
              ),
            ],
          ]
        : [],
    ),
  )}${facts([
    ['Timer', result.timer ?? 'not told'],
    ['Caches', result.cache ?? 'not told'],
  ])}`;
}

const mostSamples = 2000;

async function countersOf(sides: readonly Side[]): Promise<Html | string> {
  const names = inCounterOrder(sides.flatMap(({ figures }) => Object.keys(figures.counters)));
  if (names.length === 0) return '';
  const medians = (name: string): number[] => sides.map(({ figures }) => figures.counters[name]?.median ?? 0);
  const shown = (name: string): string => name.replaceAll('_', ' ');
  const counting = names.filter((name) => medians(name).some((count) => count !== 0));
  const silent = names.filter((name) => !counting.includes(name));
  const rows = counting.map((name): Cell[] => {
    const [one = 0, other] = medians(name);
    const ratio =
      other === undefined ? [] : [one === 0 ? '' : { shown: `${(other / one).toPrecision(4)} ×`, sort: other / one }];
    return [shown(name), ...medians(name), ...ratio];
  });
  const isEqual = (name: string): boolean => sides.length > 1 && medians(name)[0] === medians(name)[1];
  const heads = ['counter', ...sides.map(({ name }) => name), ...(sides.length > 1 ? ['variant over captured'] : [])];
  const differing = rows.filter((_, index) => !isEqual(counting[index] ?? ''));
  const equal = rows.filter((_, index) => isEqual(counting[index] ?? ''));
  const table = markup`${differing.length === 0 ? '' : tableOf('Counters of the software GPU', heads, differing)}${
    equal.length === 0
      ? ''
      : markup`<details><summary>${counted(equal.length, 'counter is', 'counters are')} equal</summary>
          ${tableOf(
            'Counters that are equal',
            heads.slice(0, 3),
            equal.map((row) => row.slice(0, 3)),
          )}</details>`
  }${
    silent.length === 0
      ? ''
      : markup`<details><summary>${counted(silent.length, 'counter is', 'counters are')} 0</summary>
          <p>${silent.map(shown).join(', ')}</p></details>`
  }`;
  if (sides.length < 2) return table;
  const other = counting.filter((name) => medians(name)[0] !== medians(name)[1]);
  const values = other.flatMap((name) => {
    const [one = 0, variant = 0] = medians(name);
    return one > 0 ? [{ counter: shown(name), ratio: variant / one }] : [];
  });
  const words = `The variant differs from the captured code in ${other.length} of ${counting.length} counters that are not 0.`;
  // Bars of equal length say nothing, so counters that do not differ have none.
  if (values.length === 0) return markup`<p>${words}</p>${table}`;
  const picture = await chart(
    {
      width: 560,
      height: { step: 15 },
      data: { values },
      layer: [
        {
          mark: 'bar',
          encoding: {
            x: { field: 'ratio', type: 'quantitative', title: 'variant over captured' },
            y: { field: 'counter', type: 'nominal', title: null, sort: null },
          },
        },
        {
          data: { values: [{ one: 1 }] },
          mark: { type: 'rule', strokeDash: [4, 4] },
          encoding: { x: { field: 'one', type: 'quantitative' } },
        },
      ],
    },
    `${words} Each bar is what the variant executes over what the captured code does; the line at 1 is as much.`,
  );
  return markup`${picture}${table}`;
}
