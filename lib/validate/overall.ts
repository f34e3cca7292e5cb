import { keptStateWords } from '../replay/kept-state';
import { formatCount } from '../support/report';
import { delayWords } from './delays-text';
import { inputsWords, unmovedWords } from './derived-inputs-text';
import { floatAtomicWords } from './float-atomics';
import { initializerWords } from './initializers';
import { notJudged, withLeftOut, type Beside } from './not-judged';
import { launchWords } from './own-launch';
import { pastLdsWords } from './past-lds';
import { rank } from './run-case';
import { shortRecordWords } from './short-records';
import { forcedTypes, rewrittenWords } from './summary';
import { allowedReadWords } from './untouched-text';
import type { DispatchReport, Report } from './report-json';

/** Reports the worst verdict: a kernel is right only if it is right for every captured dispatch. */
export function overallReport(reports: readonly [DispatchReport, ...DispatchReport[]], beside: Beside): Report {
  const worst = reports.reduce((a, b) => (rank(b.verdict) > rank(a.verdict) ? b : a));
  const unjudged = beside.code.kind === 'captured' ? beside.code.unjudged : undefined;
  return {
    ...worst,
    summary: withLeftOut(
      `${reports.length === 1 ? worst.summary : summaryOfAll(worst, reports)}${sealWords(reports)}`,
      worst.verdict,
      beside,
    ),
    dispatches: reports.map(({ differences: _differences, replays: _replays, ...rest }) => ({
      dispatch: rest.dispatch,
      capture: rest.capture,
      capture_sha256: rest.capture_sha256,
      selfcheck: rest.selfcheck,
      selfcheck_sha256: rest.selfcheck_sha256,
      selfcheck_sealed: rest.selfcheck_sealed,
      verdict: rest.verdict,
      summary: rest.summary,
      launch: rest.launch,
      compared_bytes: rest.compared_bytes,
      changed_bytes: rest.changed_bytes,
      ignored_bytes: rest.ignored_bytes,
      varying_bytes: rest.varying_bytes,
      unjudged_bytes: rest.unjudged_bytes,
      overwritten_bytes: rest.overwritten_bytes,
      rewritten_bytes: rest.rewritten_bytes,
      differing_bytes: rest.differing_bytes,
      state: rest.state,
      regions: rest.regions,
      fault: rest.fault,
      adverse: rest.adverse,
      races: rest.races,
      ...(rest.inputs ? { inputs: rest.inputs } : {}),
      ...(rest.delays ? { delays: rest.delays } : {}),
    })),
    not_judged: notJudged(beside),
    ...(unjudged === undefined ? {} : { unjudged_edit: unjudged.file }),
  };
}

function summaryOfAll(worst: DispatchReport, reports: readonly DispatchReport[]): string {
  if (worst.verdict === 'pass') {
    const sum = (of: (report: DispatchReport) => number): string =>
      formatCount(reports.reduce((total, report) => total + of(report), 0));
    const forced = forcedTypes({ forced: [...new Set(reports.flatMap(({ tolerance }) => tolerance?.forced ?? []))] });
    return `${[...launchWords(reports), ...forced, ...allowedReadWords(reports), ...shortRecordWords(reports), ...unmovedWords(reports.flatMap(({ inputs }) => inputs ?? []))].map((words) => `${words}; `).join('')}${reports.length} captured dispatches: ${sum(({ compared_bytes: bytes }) => bytes)} bytes compared with what the app computed, ${sum(({ changed_bytes: bytes }) => bytes)} of them changed by the kernel${rewrittenWords({ rewritten_bytes: reports.reduce((total, { rewritten_bytes: bytes }) => total + bytes, 0) })}${sanitizerWords(reports)}${initializersWords(reports)}${floatAtomicsWords(reports)}${pastLdsOfAll(reports)}${stateWords(reports)}${derivedWords(reports)}${delaysWords(reports)}`;
  }
  const passed = reports.filter(({ verdict }) => verdict === 'pass').length;
  return `${passed} of ${reports.length} captured dispatches pass; dispatch ${worst.dispatch}: ${worst.summary}`;
}

/** Names self-checks without a seal: anyone may have edited their intervals and verdict. */
function sealWords(reports: readonly DispatchReport[]): string {
  const [first, ...more] = reports.filter(({ selfcheck_sealed: isSealed }) => !isSealed);
  if (first === undefined) return '';
  const others = more.length > 0 ? ` and of ${more.length} more` : '';
  return `; NOT known: whether the self-check of ${first.capture}${others} was edited, which has no seal (of an older version)`;
}

/** Merges the reports, because all dispatches have the same source. */
function initializersWords(reports: readonly DispatchReport[]): string {
  const all = new Map(reports.flatMap(({ initializers = [] }) => initializers).map((one) => [one.variable, one]));
  return initializerWords([...all.values()])
    .map((words) => `; ${words}`)
    .join('');
}

/** Keeps each dispatch's text, because their regions differ. */
function floatAtomicsWords(reports: readonly DispatchReport[]): string {
  const all = new Set(reports.flatMap(({ float_atomics: atomics }) => floatAtomicWords(atomics)));
  return [...all].map((words) => `; ${words}`).join('');
}

/** Merges the reports, because all dispatches have the same code. */
function pastLdsOfAll(reports: readonly DispatchReport[]): string {
  const all = new Set(reports.flatMap(({ past_lds: pastLds }) => pastLdsWords(pastLds)));
  return [...all].map((words) => `; ${words}`).join('');
}

/** Takes the first state, because all dispatches have the same code. */
function stateWords(reports: readonly DispatchReport[]): string {
  const state = reports.map((report) => report.state).find(Boolean);
  return state ? `; ${keptStateWords(state)}` : '';
}

function derivedWords(reports: readonly DispatchReport[]): string {
  const all = reports.flatMap(({ inputs }) => inputs ?? []);
  return all.length === 0 ? '' : `; ${inputsWords(all)}`;
}

/** Describes every dispatch that was not judged under delays, otherwise the one with the most halves left out. */
function delaysWords(reports: readonly DispatchReport[]): string {
  const all = reports.flatMap(({ delays }) => delays ?? []);
  if (all.length === 0) return '';
  const lacking = all.filter(({ judged }) => !judged);
  const least = all.reduce((a, b) => (b.of_halves - b.halves > a.of_halves - a.halves ? b : a));
  return `; ${lacking.length > 0 ? [...new Set(lacking.map(delayWords))].join('; ') : delayWords(least)}`;
}

/** Text for a pass, which must name findings that are not judged because the captured code has them too. */
function sanitizerWords(reports: readonly DispatchReport[]): string {
  const checks = reports.flatMap(({ sanitizer = [] }) => sanitizer);
  if (checks.length === 0) return '';
  const kinds = new Set(checks.flatMap(({ findings }) => findings.map(({ kind }) => kind)));
  const tools = [...new Set(checks.map(({ tool }) => tool))].join(', ');
  return kinds.size === 0
    ? `; ${tools} found nothing`
    : `; ${tools} found only what the captured code has too (${[...kinds].join(', ')}), which is not judged`;
}
