import { existsSync } from 'node:fs';
import { captureDigest, isJudgedByRanges, selfcheckFile } from '../archive/capture-files';
import { readSelfcheck } from '../archive/selfcheck-seal';
import type { Deps } from '../deps/deps';
import { formatCount } from '../support/report';
import { givenRecords } from './records';
import { ignoredRanges } from '../reproducer/roles';
import { keptStateWords } from './kept-state';
import type { ReplayRequest } from './program';
import type { CheckedEvent, Side } from './replay-events';
import type { Check } from './result';
import type { ReplaySession } from './session';

/** Options that compare memory as validate does without tolerances. */
export function judging({ reproducer, capture }: ReplaySession): Partial<ReplayRequest> {
  const file = selfcheckFile(reproducer.capture);
  const ignore = ignoredRanges(reproducer.config, capture);
  if (!existsSync(file)) return { ignore };
  const { selfcheck } = readSelfcheck(reproducer.capture, 'capture again', reproducer.files);
  if (!isJudgedByRanges(selfcheck)) return { ignore };
  return { ignore, varying: file, records: givenRecords([], reproducer.config, capture, selfcheck) };
}

/** Warns if the self-check did not verify the capture, because a replay itself does not compare with the app. */
export function warnIfUnproven({ reproducer, capture, dispatch: { shown } }: ReplaySession, deps: Deps): void {
  const doubt = (why: string): void =>
    deps.report.warn(`${shown}: ${why}: what is replayed may not be what the app did`);
  if (!existsSync(selfcheckFile(reproducer.capture))) return doubt('its self-check is missing');
  const { selfcheck, seal } = readSelfcheck(reproducer.capture, 'capture again', reproducer.files);
  if (seal === 'broken') return doubt('its self-check was edited');
  if (selfcheck.capture_sha256 !== captureDigest(capture)) return doubt('it was changed after its self-check');
  if (selfcheck.verdict === 'failed') doubt(`its self-check failed (${selfcheck.reason ?? 'no reason given'})`);
}

/** Joins the checks of all processes; null unless both sides were checked. */
export function checkOf(events: readonly CheckedEvent[]): Check | null {
  const of = (wanted: Side) => {
    const found = events.filter(({ side }) => side === wanted);
    const [first] = found;
    const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
    return (
      first && {
        compared_bytes: first.compared_bytes,
        differing_bytes: Math.max(...found.map(({ differing_bytes: bytes }) => bytes)),
        launches: sum(found.map(({ launches }) => launches)),
        wrong_launches: sum(found.map(({ wrong_launches: launches }) => launches)),
        state: first.state ?? null,
      }
    );
  };
  const [captured, variant] = [of('captured'), of('variant')];
  return captured && variant ? { captured, variant } : null;
}

/** Whether all launches of each side gave one result; otherwise the times include launches that did something else. */
export function isSteady({ captured, variant }: Check): boolean {
  return [captured, variant].every(
    ({ launches, wrong_launches: wrongLaunches }) => wrongLaunches === 0 || wrongLaunches === launches,
  );
}

export function checkLine(check: Check): string {
  const { state } = check.variant;
  return `${comparisonLine(check)}${state ? `; ${keptStateWords(state)}: every launch here began with it as loaded` : ''}`;
}

/** Words of the last line on what the comparison found. Memory alone is compared, so that they never say that a variant passes. */
export function foundWords({ captured, variant }: Check): string {
  if (variant.compared_bytes === 0) return 'no memory was compared';
  if (!isSteady({ captured, variant })) return 'launches of one code gave different results';
  if (captured.differing_bytes > 0) return 'the captured code itself differs from what the app computed';
  return variant.differing_bytes > 0
    ? 'the variant differs from what the app computed'
    : 'both gave what the app computed';
}

/** Warns of times shorter than the device needs to write what the app's dispatch wrote. */
export function impossibleTimes(
  events: readonly CheckedEvent[],
  medians: Readonly<Record<Side, number | undefined>>,
): string[] {
  const least = events.find(({ least_ns: ns }) => ns !== undefined)?.least_ns;
  if (least === undefined) return [];
  return (['captured', 'variant'] as const)
    .filter((side) => (medians[side] ?? least) < least)
    .map(
      (side) =>
        `the time of the ${side === 'captured' ? 'captured code' : 'variant'} is not to be believed: this device takes at least ${(least / 1000).toFixed(2)} µs to write what the app's dispatch wrote`,
    );
}

function comparisonLine({ captured, variant }: Check): string {
  const compared = formatCount(variant.compared_bytes);
  if (!isSteady({ captured, variant })) {
    const share = ({ launches, wrong_launches: wrongLaunches }: Check['variant']): string =>
      `${formatCount(wrongLaunches)} of ${formatCount(launches)} launches`;
    return `result in memory: NOT the same in all launches, so that their times say nothing: other than the app computed it in ${share(captured)} of the captured code and ${share(variant)} of the variant`;
  }
  if (captured.differing_bytes > 0) {
    return `result in memory: the captured code itself differs from what the app computed in ${formatCount(captured.differing_bytes)} of ${compared} bytes, the variant in ${formatCount(variant.differing_bytes)}`;
  }
  return variant.differing_bytes === 0
    ? `result in memory: both as the app computed it (${compared} bytes${launchesWords(variant.launches)})`
    : `result in memory: the variant differs from what the app computed in ${formatCount(variant.differing_bytes)} of ${compared} bytes: see validate`;
}

function launchesWords(launches: number): string {
  return launches > 1 ? ` after each of ${formatCount(launches)} launches` : '';
}
