import type { Deps } from '../deps/deps';
import { timeWords } from '../device/emulated-driver';
import { formatCount, table } from '../support/report';
import type { Score } from '../candidate/score-json';
import type { Candidate, TuneResult } from './result';
import type { Parameters } from './space';

const shownRows = 40;
const shownReason = 100;

/** Text such as "BLOCK=64 num_warps=2". */
export const describeParameters = (parameters: Parameters): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');

export function describeScore({
  wave_instructions: waveInstructions,
  time_ns: timeNs,
  time_ratio: timeRatio,
  time_ci95: timeCi95,
}: Score): string {
  if (waveInstructions !== null) return formatCount(waveInstructions);
  const ratio = timeRatio === null ? '' : ` ${timeRatio.toFixed(3)}×`;
  const interval = timeCi95 === null ? '' : ` [${timeCi95.low.toFixed(3)}, ${timeCi95.high.toFixed(3)}]`;
  return `${((timeNs ?? 0) / 1000).toFixed(2)} µs${ratio}${interval}`;
}

/** Sorts by score, best first; candidates that are not right have none. */
export function printTune(result: TuneResult, { report }: Pick<Deps, 'report'>): void {
  const names = result.space.parameters.map(({ name }) => name);
  const score =
    result.scored_by === 'wave_instructions'
      ? 'wave-instructions'
      : `${timeWords(result.device, 'time')}, of the captured code`;
  const header = ['', ...names, score, 'of the base', 'status', ''];
  const rows = result.candidates.slice(0, shownRows).map((one) => row(one, names, result));
  const captured =
    result.captured === null
      ? []
      : [['', ...names.map(() => ''), describeScore(result.captured), '', 'the captured code', '']];
  for (const line of table([header, ...rows, ...captured])) report.result(line);
  const more = result.candidates.length - shownRows;
  if (more > 0) report.result(`and ${formatCount(more)} more: see ${result.files.result}`);
  report.result(
    `${result.kernel}: ${formatCount(result.candidates.length)} candidates, ${formatCount(result.from_cache)} of them from earlier runs; ` +
      `each judged by ${result.dispatches.length === 1 ? 'one captured dispatch' : `${result.dispatches.length} captured dispatches`}`,
  );
  report.result(`Result: ${result.reason}`);
  report.result(`plot ${result.files.svg}${result.files.patch === null ? '' : `, patch ${result.files.patch}`}`);
}

function row(one: Candidate, names: readonly string[], { best }: TuneResult): string[] {
  const mark = one.key === best ? 'best' : one.is_base ? 'base' : '';
  const reason = one.status === 'pass' ? '' : (one.reason.split('\n')[0] ?? '');
  return [
    mark,
    ...names.map((name) => String(one.parameters[name] ?? '')),
    one.score === null ? '-' : describeScore(one.score),
    one.ratio === null ? '-' : `${one.ratio.toFixed(3)}×`,
    one.status,
    reason.length > shownReason ? `${reason.slice(0, shownReason)}…` : reason,
  ];
}
