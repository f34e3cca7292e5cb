import { formatCount } from '../support/format';
import type { Judgement } from './judgement-json';

const words: Readonly<Record<Judgement['verdict'], string>> = {
  pass: 'PASS',
  fail: 'FAIL',
  vacuous: 'VACUOUS',
  fault: 'FAULT',
  limit: 'LIMIT',
  'not-compiled': 'NOT COMPILED',
  'not-launched': 'NOT LAUNCHED',
  error: 'ERROR',
  cancelled: 'CANCELLED',
};

/** One line: the verdict, the score of what passes, the place of what does not. */
export function judgementLine(judgement: Judgement): string {
  const { label, id, verdict, summary, place, from_cache: fromCache } = judgement;
  const where = place === null ? '' : `${place}: `;
  const said = verdict === 'pass' ? scoreWords(judgement) : `${where}${summary}`;
  const line = `${label ?? id}: ${words[verdict]}${said === '' ? '' : `  ${said}`}${fromCache ? ' (judged before)' : ''}`;
  return printable(line).replaceAll('\n', ' ');
}

/** Text of a candidate or a forger could steer the terminal. */
export const printable = (text: string): string => text.replaceAll(/[^\P{Cc}\n]/gu, ' ');

function scoreWords({ score, ratio, keeps_state: keepsState }: Judgement): string {
  const times = ratio === null ? '' : `, ${ratio.toFixed(3)}× the captured code`;
  const state = keepsState ? ', keeps values from launch to launch' : '';
  if (score === null) return state.slice(2);
  if (score.wave_instructions !== null)
    return `${formatCount(score.wave_instructions)} wave-instructions${times}${state}`;
  const interval = score.time_ci95
    ? ` (95%: ${score.time_ci95.low.toFixed(3)} to ${score.time_ci95.high.toFixed(3)})`
    : '';
  return `${((score.time_ns ?? 0) / 1000).toFixed(2)} µs${times}${interval}${state}`;
}
