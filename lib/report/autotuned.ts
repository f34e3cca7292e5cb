import { existsSync } from 'node:fs';
import { shownValue, tritonFile, tritonJsonSchema, type TritonTuning } from '../archive/triton-json';
import { markup, shortened, type Html } from '../page/html';
import { chart, paragraphs, tableOf, type Cell } from '../page/parts';
import { readLeft } from './left';

const mostTunings = 8;
const mostBars = 40;

/** Configurations that the app's autotuners tried for the kernel, best first; empty if none was recorded. */
export async function autotunedBody(captureFolder: string, again: string): Promise<Html | string> {
  const path = tritonFile(captureFolder);
  if (!existsSync(path)) return '';
  const left = readLeft(path, tritonJsonSchema, 'What the autotuner of the app tried', again);
  if (left.value === null) return left.why;
  const tunings = left.value.tunings ?? [];
  const more = tunings.length - mostTunings;
  return markup`${await Promise.all(tunings.slice(0, mostTunings).map(tuningBody))}${more > 0 ? paragraphs([`${more} more autotuners are not on this page.`]) : ''}`;
}

type Trial = TritonTuning['trials'][number];

async function tuningBody({ key, unit, trials }: TritonTuning): Promise<Html> {
  const names = [...new Set(trials.flatMap(({ configuration }) => Object.keys(configuration)))];
  const ran = trials.filter(({ median }) => median !== null).sort((a, b) => Number(a.median) - Number(b.median));
  const best = ran[0]?.median ?? 0;
  const sorted = [...ran, ...trials.filter(({ median }) => median === null)];
  const measure = unit === 'ms' ? 'ms, as the autotuner measured' : 'wave-instructions';
  const table = tableOf(
    'Configurations that the autotuner of the app tried, the best first',
    ['which', ...names, measure, 'of the best'],
    sorted.map(({ configuration, median, chosen }): Cell[] => [
      chosen ? 'chosen' : '',
      ...names.map((name) => valueOf(configuration, name)),
      median === null ? { shown: 'did not run', sort: Number.MAX_VALUE } : median,
      median === null || best <= 0 ? '' : { shown: `${(median / best).toFixed(3)} ×`, sort: median / best },
    ]),
  );
  const whatFor = key.length === 0 ? [] : [`The app’s autotuner, for ${shortened(key.join(', '), 600)}:`];
  return markup`${paragraphs(whatFor)}${ran.length > 1 ? await bars(ran, names, measure) : ''}${table}`;
}

const valueOf = (configuration: Trial['configuration'], name: string): string => {
  const value = configuration[name];
  return value === undefined ? '' : shownValue(value);
};

async function bars(ran: readonly Trial[], names: readonly string[], measure: string): Promise<Html> {
  const shown = ran.slice(0, mostBars);
  const varying = names.filter((name) => new Set(ran.map((one) => valueOf(one.configuration, name))).size > 1);
  const values = shown.map(({ configuration, median, chosen }, index) => ({
    // Numbered, because two equal labels would share one bar.
    label: `${index + 1}: ${shortened(varying.map((name) => `${name} ${valueOf(configuration, name)}`).join(', '), 80)}`,
    median,
    what: chosen ? 'chosen' : 'tried',
  }));
  return chart(
    {
      width: 480,
      height: { step: 16 },
      data: { values },
      mark: 'bar',
      encoding: {
        x: { field: 'median', type: 'quantitative', title: measure },
        y: { field: 'label', type: 'nominal', title: null, sort: null },
        color: { field: 'what', type: 'nominal', title: null },
      },
    },
    `The best ${shown.length} of ${ran.length} configurations that ran; the table has them all.`,
  );
}
