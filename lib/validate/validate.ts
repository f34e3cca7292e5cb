import { rmSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { captureDigest, captureFile, selfcheckFile } from '../archive/capture-files';
import { readSelfcheck, type SealedSelfcheck } from '../archive/selfcheck-seal';
import { withDevice } from '../device/lock';
import { keepVerdict, reportFormat, type KeptVerdict } from '../reproducer/kept-results';
import { chooseCode, openReproducer, type Code, type Reproducer } from '../reproducer/reproducer';
import { numberOfFolder, openSessions, type ReplaySession } from '../replay/session';
import type { Deps } from '../deps/deps';
import { asKernloopError, KernloopError } from '../support/error';
import { requireOwnFile, writeOwnJson } from '../support/output-file';
import { kernelFile } from '../support/project-file-names';
import { ReadOnce } from '../support/read-once';
import { beginDelays, type DelaysBegun } from './delays';
import { asTheDeviceHas, type OptionsOnDevice } from './device-options';
import { derivationOf, judgeInputs } from './derived-inputs';
import { editedLines } from './edited-lines';
import { unseenWords } from './edited-lines-text';
import { fillsOf } from './fills';
import { judgeCase } from './judge';
import type { Case } from './run-case';
import { racesOff, unprovenSource } from './not-judged';
import type { JudgingOptions, ValidateOptions } from './options';
import { overallReport } from './overall';
import type { DispatchReport, EditedLines, Report } from './report-json';
import { placeOfVerdict } from './place';
import { printReport, verdictLabels } from './report-text';
import { givenRecords } from '../replay/records';
import { ignoredRanges } from '../reproducer/roles';
import { requireSanitizer, sanitize, type Sanitizer } from './sanitizer';
import { planElements } from './tolerance';
import { usualTolerance } from './usual-tolerance';

/**
 * Replays every captured dispatch of the kernel and compares device memory with what the app computed; only equal
 * results can pass. Writes report.json; if that fails, the verdict is printed first and an error follows.
 */
export async function validate(options: ValidateOptions, deps: Deps): Promise<Report> {
  const reproducer = openReproducer(options.reproducer, deps.opened);
  removeEarlier(reproducer.report, deps);
  const { report: judged, reports, sessions } = await judge(options, deps, undefined, reproducer);
  const [first] = sessions;
  if (options.inputs === 0 && options.inputsOnly === undefined && options.inputsRecord.length > 0)
    deps.report.warn('no derived inputs were asked for, in which records would change places: add --inputs 4');
  requireSameText(options.reproducer, options.variant, judged, first.code, reproducer);
  const edited = await editedLines(sessions, judged, deps);
  const report: Report = edited === undefined ? judged : withEditedLines(judged, edited);
  const lost = failureOf(() => writeOwnJson(first.reproducer.report, report, reportFormat));
  // The error about report.json says as much of the folder.
  if (lost === undefined) keepVerdict(first.reproducer.root, keptOf(report), deps);
  const place = report.verdict === 'pass' ? null : placeOf(reports, first);
  printReport(report, reports, sessions, options.verbose, place, deps);
  if (lost === undefined) return report;
  const what = `${lost.what}; the verdict was ${verdictLabels[report.verdict]} (${report.summary})`;
  throw new KernloopError(lost.code, what, lost.hint, { cause: lost });
}

const withEditedLines = (report: Report, lines: EditedLines): Report => ({
  ...report,
  summary: `${report.verdict === 'pass' ? unseenWords(lines) : ''}${report.summary}`,
  edited_lines: lines,
});

/** The verdict is printed also if its place cannot be read. */
function placeOf(reports: readonly DispatchReport[], session: ReplaySession): string | null {
  let place: string | null = null;
  failureOf(() => (place = placeOfVerdict(reports, session)));
  return place;
}

/** Refuses the verdict of a source that was edited meanwhile: it would be taken for that of the text in the folder. */
function requireSameText(
  folder: string,
  variant: string | undefined,
  report: Report,
  judged: Code,
  { config, files }: Reproducer,
): void {
  const edit = failureOf(() => {
    const current = openReproducer(folder, new ReadOnce(files));
    const now = chooseCode(current, variant);
    if (!isDeepStrictEqual(current.config, config))
      throw new KernloopError('VARIANT_STALE', `${kernelFile} is another one since it was judged`, '');
    if (isSameCode(now, judged)) return;
    const what = `${now.kind === 'variant' ? now.shown : 'the code to judge'} is another one since it was judged`;
    throw new KernloopError('VARIANT_STALE', what, '');
  });
  if (edit === undefined) return;
  const what = `${edit.what}: the verdict on the code before was ${verdictLabels[report.verdict]} (${report.summary})`;
  throw new KernloopError(edit.code, what, 'run the command again', { cause: edit });
}

const isSameCode = (one: Code, other: Code): boolean =>
  one.kind === 'captured' ? other.kind === 'captured' : other.kind === 'variant' && one.sha256 === other.sha256;

/** Removes the earlier report, so that an error in this run does not leave an outdated verdict unnoticed. */
function removeEarlier(path: string, { report }: Deps): void {
  requireOwnFile(path, reportFormat);
  const failed = failureOf(() => rmSync(path, { force: true }));
  if (failed) report.warn(`${path} is that of an earlier run, and stays: ${failed.what}`);
}

function failureOf(write: () => unknown): KernloopError | undefined {
  try {
    write();
    return undefined;
  } catch (error) {
    return asKernloopError(error);
  }
}

const keptOf = (report: Report): Omit<KeptVerdict, 'at'> => ({
  verdict: report.verdict,
  summary: report.summary.slice(0, 1000),
  code: report.variant ?? report.code,
  code_object_sha256: report.code_object_sha256,
  capture_sha256: report.capture_sha256,
  device: report.device.identity,
  compared_bytes: report.compared_bytes,
  differing_bytes: report.differing_bytes,
});

/** Judges without writing or printing, for callers that judge several variants. */
export async function judge(
  given: JudgingOptions,
  deps: Deps,
  code?: Code,
  reproducer?: Reproducer,
): Promise<{
  report: Report;
  reports: readonly DispatchReport[];
  sessions: readonly [ReplaySession, ...ReplaySession[]];
}> {
  const { sessions, ...beside } = await openSessions(given, deps, 'all', code, reproducer);
  const [first, ...others] = sessions;
  // Refuses what cannot be judged before anything runs.
  const options = asTheDeviceHas(given, first.device);
  const cases: [Case, ...Case[]] = [caseOf(first, options, deps), ...others.map((one) => caseOf(one, options, deps))];
  const sanitizer = requireSanitizer(options, deps);
  const reports = await judgeAll(cases, sanitizer, deps);
  return {
    report: overallReport(reports, {
      ...beside,
      capture: options.capture ?? numberOfFolder(options.reproducer, first.reproducer),
      code: first.code,
      unproven: unprovenSource(first.reproducer, first.code),
      racesOff: racesOff(cases[0], first.device),
    }),
    reports,
    sessions,
  };
}

function caseOf(session: ReplaySession, options: OptionsOnDevice, deps: Deps): Case {
  const { selfcheck, sha256, seal } = requireSelfcheck(session, deps);
  const ignored = ignoredRanges(session.reproducer.config, session.capture);
  const derivation = derivationOf(session, options);
  const { replays, adverse, delays } = options;
  return {
    session,
    selfcheck,
    proof: { sha256, isSealed: seal === 'intact' },
    ignored,
    plan: planElements(options, session.reproducer.config, session.capture, ignored),
    records: givenRecords(options.record, session.reproducer.config, session.capture, selfcheck),
    ...{ replays, adverse, delays, derivation },
    fills: fillsOf(selfcheck, replays, adverse),
    mayReadUntouched: options.mayReadUntouched,
  };
}

async function judgeAll(
  [first, ...others]: readonly [Case, ...Case[]],
  sanitizer: Sanitizer | null,
  deps: Deps,
): Promise<[DispatchReport, ...DispatchReport[]]> {
  const judge = async (one: Case, delays: DelaysBegun): Promise<DispatchReport> => {
    let delayed;
    let plainMs;
    try {
      const beganMs = deps.clock.monotonicMs();
      const report = await judgeCase(one, deps);
      plainMs = deps.clock.monotonicMs() - beganMs;
      const usual = await usualTolerance(one, report, deps);
      delayed = await delays.judge(usual === undefined ? report : { ...report, usual_tolerance: usual });
    } finally {
      await delays.end();
    }
    return sanitize(await judgeInputs(one, delayed, deps), one.session, sanitizer, plainMs, deps);
  };
  let tellHeld = (_isHeld: boolean): void => undefined;
  const held = new Promise<boolean>((resolve) => (tellHeld = resolve));
  // The code of the first is compiled while this waits for the device.
  const ofFirst = beginDelays(first, held, deps);
  try {
    return await withDevice(first.session.device, deps, async () => {
      tellHeld(true);
      const reports: [DispatchReport, ...DispatchReport[]] = [await judge(first, ofFirst)];
      for (const other of others) reports.push(await judge(other, beginDelays(other, held, deps)));
      return reports;
    });
  } finally {
    tellHeld(false);
    await ofFirst.end();
  }
}

/** A capture that does not reproduce the app's result cannot judge anything. */
function requireSelfcheck(
  { dispatch: { folder, shown }, capture, device, reproducer }: ReplaySession,
  deps: Deps,
): SealedSelfcheck {
  const again = 'run `kernloop extract` for its kernel: it captures again what was never checked, and checks it';
  const read = readSelfcheck(folder, again, reproducer.files);
  const { selfcheck, seal } = read;
  if (seal === 'broken') {
    throw new KernloopError(
      'SELFCHECK_EDITED',
      `${selfcheckFile(folder)} was edited since the capture was checked: what it says decides what passes`,
      'bring it back from version control, or capture it again (`kernloop extract --recapture`)',
    );
  }
  if (selfcheck.capture_sha256 !== captureDigest(capture)) {
    throw new KernloopError(
      'SELFCHECK_MISSING',
      `${captureFile(folder)} was changed after its self-check, or selfcheck.json is that of another capture`,
      again,
    );
  }
  if (selfcheck.verdict === 'failed') {
    throw new KernloopError(
      'SELFCHECK_FAILED',
      `the capture ${shown} cannot judge a variant: its self-check failed: ${selfcheck.reason ?? 'no reason given'}`,
      'capture it with a wider scope, or another dispatch of the kernel; --capture names those that are to judge',
    );
  }
  if (selfcheck.device.identity !== device.description.identity) {
    deps.report.warn(`the capture was checked on ${selfcheck.device.identity}, this is ${device.description.identity}`);
  }
  return read;
}
