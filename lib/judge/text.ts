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
  const { label, id, verdict, summary, place, fromCache } = judgement;
  const where = place === null ? '' : `${place}: `;
  const said = verdict === 'pass' ? scoreWords(judgement) : `${where}${summary}`;
  const line = `${label ?? id}: ${words[verdict]}${said === '' ? '' : `  ${said}`}${fromCache ? ' (judged before)' : ''}`;
  return printable(line).replaceAll('\n', ' ');
}

/** Text of a candidate or a forger could steer the terminal. */
export const printable = (text: string): string => text.replaceAll(/[^\P{Cc}\n]/gu, ' ');

function scoreWords({ score, ratio, keepsState }: Judgement): string {
  const times = ratio === null ? '' : `, ${ratio.toFixed(3)}× the captured code`;
  const state = keepsState ? ', keeps values from launch to launch' : '';
  if (score === null) return state.slice(2);
  if (score.waveInstructions !== null)
    return `${formatCount(score.waveInstructions)} wave-instructions${times}${state}`;
  const interval = score.timeCi95
    ? ` (95%: ${score.timeCi95.low.toFixed(3)} to ${score.timeCi95.high.toFixed(3)})`
    : '';
  return `${((score.timeNs ?? 0) / 1000).toFixed(2)} µs${times}${interval}${state}`;
}
