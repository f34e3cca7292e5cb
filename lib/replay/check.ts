import { existsSync } from 'node:fs';
import { captureFile, isJudgedByRanges, selfcheckFile, selfcheckSchema } from '../archive/capture-files';
import type { Deps } from '../deps/deps';
import { sha256OfFile } from '../support/files';
import { formatCount } from '../support/report';
import { readJson } from '../support/schema';
import { givenRecords } from './records';
import { ignoredRanges } from '../reproducer/roles';
import { keptStateWords } from './kept-state';
import type { ReplayRequest } from './program';
import type { CheckedEvent, Side } from './replay-events';
import type { Check } from './result';
import type { ReplaySession } from './session';

/** How memory is compared: as validate does without tolerances. */
export function judging({ reproducer, capture }: ReplaySession): Partial<ReplayRequest> {
  const file = selfcheckFile(reproducer.capture);
  const ignore = ignoredRanges(reproducer.config, capture);
  if (!existsSync(file)) return { ignore };
  const selfcheck = readJson(file, selfcheckSchema, 'SELFCHECK_MISSING', 'capture again');
  if (!isJudgedByRanges(selfcheck)) return { ignore };
  return { ignore, varying: file, records: givenRecords([], reproducer.config, capture, selfcheck) };
}

/** A replay compares nothing: it is the self-check that says whether it does what the dispatch did in the app. */
export function warnIfUnproven({ reproducer: { capture }, dispatch: { shown } }: ReplaySession, deps: Deps): void {
  const file = selfcheckFile(capture);
  const doubt = (why: string): void =>
    deps.report.warn(`${shown}: ${why}: what is replayed may not be what the app did`);
  if (!existsSync(file)) return doubt('its self-check is missing');
  const selfcheck = readJson(file, selfcheckSchema, 'SELFCHECK_MISSING', 'capture again');
  if (selfcheck.capture_sha256 !== sha256OfFile(captureFile(capture)))
    return doubt('it was changed after its self-check');
  if (selfcheck.verdict === 'failed') doubt(`its self-check failed (${selfcheck.reason ?? 'no reason given'})`);
}

/** Null unless both sides were checked. */
export function checkOf(events: readonly CheckedEvent[]): Check | null {
  const of = (wanted: Side) => {
    const found = events.find(({ side }) => side === wanted);
    return (
      found && {
        comparedBytes: found.compared_bytes,
        differingBytes: found.differing_bytes,
        state: found.state ?? null,
      }
    );
  };
  const [captured, variant] = [of('captured'), of('variant')];
  return captured && variant ? { captured, variant } : null;
}

export function checkLine(check: Check): string {
  const { state } = check.variant;
  return `${comparisonLine(check)}${state ? `; ${keptStateWords(state)}: every launch here began with it as loaded` : ''}`;
}

function comparisonLine({ captured, variant }: Check): string {
  const compared = formatCount(variant.comparedBytes);
  if (captured.differingBytes > 0) {
    return `result in memory: the captured code itself differs from what the app computed in ${formatCount(captured.differingBytes)} of ${compared} bytes, the variant in ${formatCount(variant.differingBytes)}`;
  }
  return variant.differingBytes === 0
    ? `result in memory: both as the app computed it (${compared} bytes)`
    : `result in memory: the variant differs from what the app computed in ${formatCount(variant.differingBytes)} of ${compared} bytes: see validate`;
}
