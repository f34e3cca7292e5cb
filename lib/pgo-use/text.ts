import type { Deps } from '../deps/deps';
import { timeWords } from '../device/emulated-driver';
import { formatCount, table } from '../support/report';
import { buildWords } from '../pgo/layout';
import { isSaid } from '../pgo/refusals';
import type { Figures, ChosenVariant } from './result';

export function printChoice(result: ChosenVariant, { report }: Pick<Deps, 'report'>): void {
  const isTimed = result.variants.some(({ time_ratio: timeRatio }) => timeRatio !== null);
  // ptxas reports no spills.
  const isCompiled = result.variants.some(({ spill_dwords: spillDwords }) => spillDwords !== null);
  const header = isTimed ? [timeWords(result.device, 'time')] : ['wave-instructions', 'scratch wave-dwords'];
  const figures = (one: Figures): string[] =>
    isTimed ? [ratio(one)] : [count(one.wave_instructions), count(one.scratch_wave_dwords)];
  const rows = [
    ['', 'result', ...header, ...(isCompiled ? ['spilled dwords', 'static score'] : [])],
    ['captured', '', ...(isTimed ? ['1.000×'] : figures(result.captured)), ...(isCompiled ? ['', ''] : [])],
    ...result.variants.map((one) => [
      one.name,
      one.verdict.toUpperCase(),
      ...figures(one),
      ...(isCompiled ? [count(one.spill_dwords), count(one.score)] : []),
    ]),
  ];
  for (const line of table(rows)) report.result(line);
  if (isCompiled) report.result('off, uniform, flatten, wave: gates, which say what spills see of the profile');
  for (const { name, judgement } of result.variants)
    if (result.kept !== null || !isSaid(judgement, result.reason)) report.result(`${name}: ${judgement}`);
  if (result.kept === null) {
    report.result(`Nothing is kept: ${result.reason}`);
    return;
  }
  const where = result.placed?.file ?? result.variants.find(({ name }) => name === result.kept)?.file ?? '';
  report.result(`Kept: ${result.reason}; it is ${where}`);
  if (result.selector !== null && result.selector !== result.kept)
    report.result(`(the static score alone would have kept ${buildWords(result.selector)})`);
}

const count = (value: number | null): string => (value === null ? '-' : formatCount(value));

function ratio({ time_ratio: timeRatio, time_ci95: timeCi95 }: Figures): string {
  if (timeRatio === null) return '-';
  const interval = timeCi95 ? ` (${timeCi95.low.toFixed(3)} to ${timeCi95.high.toFixed(3)})` : '';
  return `${timeRatio.toFixed(3)}×${interval}`;
}
