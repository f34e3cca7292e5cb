import type { Deps } from '../deps/deps';
import { timeWords } from '../device/emulated-driver';
import { formatCount, table } from '../support/report';
import { buildWords } from '../pgo/layout';
import { isSaid } from '../pgo/refusals';
import type { AppBuildResult, ChosenBuild, ChosenVariant, Figures } from './result';

export function printVariants(result: ChosenVariant, { report }: Pick<Deps, 'report'>): void {
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
  const where = result.placed?.file ?? result.variants.find(({ name }) => name === result.kept)?.file ?? '';
  printJudgements(result, result.variants, where, report);
  if (result.selector !== null && result.kept !== null && result.selector !== result.kept)
    report.result(`(the static score alone would have kept ${buildWords(result.selector)})`);
}

/** Prints each judgement that the reason does not repeat, and what is kept. */
function printJudgements(
  { kept, reason }: { readonly kept: string | null; readonly reason: string },
  judged: readonly { readonly name: string; readonly judgement: string }[],
  where: string,
  report: Deps['report'],
): void {
  for (const { name, judgement } of judged)
    if (kept !== null || !isSaid(judgement, reason)) report.result(`${name}: ${judgement}`);
  report.result(kept === null ? `Nothing is kept: ${reason}` : `Kept: ${reason}; it is ${where}`);
}

const count = (value: number | null): string => (value === null ? '-' : formatCount(value));

function ratio({ time_ratio: timeRatio, time_ci95: timeCi95 }: Figures): string {
  if (timeRatio === null) return '-';
  const interval = timeCi95 ? ` (${timeCi95.low.toFixed(3)} to ${timeCi95.high.toFixed(3)})` : '';
  return `${timeRatio.toFixed(3)}×${interval}`;
}

/** `shown`: a path as people read it. */
export function printBuilds(
  result: ChosenBuild,
  isTimed: boolean,
  shown: (path: string) => string,
  { report }: Pick<Deps, 'report'>,
): void {
  const { device, builds, kept } = result;
  const total = (one: AppBuildResult, symbol: string): string =>
    formatCount(one.kernels.find((kernel) => kernel.symbol === symbol)?.total ?? 0);
  const rows = [
    [isTimed ? `${timeWords(device)}, ns` : 'wave-instructions', ...builds.map(({ name }) => name)],
    ...(builds[0]?.kernels ?? []).map(({ name, symbol }) => [name, ...builds.map((one) => total(one, symbol))]),
    ['all', ...builds.map((one) => formatCount(one.total))],
  ];
  for (const line of table(rows)) report.result(line);
  printJudgements(result, builds, shown(builds.find(({ name }) => name === kept)?.program ?? ''), report);
}
