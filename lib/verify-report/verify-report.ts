import type { Deps } from '../deps/deps';
import type { DecidedBy, Judgement } from '../judge/judgement-json';
import { homeFolder } from '../judge/home';
import { exitCodeOf as exitCodeOfJudge } from '../judge/run';
import { secretInputsIn, type DrawInputs } from '../judge/secret-inputs';
import { judgementLine, printable } from '../judge/text';
import { KernloopError } from '../support/error';
import { Present } from './held-against';
import type { VerifyReportOptions } from './options';
import type { VerifyReportResult } from './result';
import { signedJudgement, trustedKey } from './signed';

/** Reports that are genuine, of what was asked for; throws REPORT_FORGED if one is not. It changes nothing. */
export async function verifyReport(options: VerifyReportOptions, deps: Deps): Promise<VerifyReportResult> {
  requireUsable(options);
  const trusted = trustedKey(options, deps.env);
  const present = options.reproducer === undefined ? null : new Present(options.reproducer, options);
  try {
    const found = options.file.map((file, index): [string, Judgement | string[]] => {
      const judgement = signedJudgement(file, trusted);
      if (typeof judgement === 'string') return [file, [judgement]];
      const candidate = options.candidate[index];
      const wrong = [
        ...(present?.differences(judgement, candidate === undefined ? undefined : present.candidateAt(candidate)) ??
          []),
        ...notAsAsked(judgement, options, deps.clock.now()),
      ];
      return [file, wrong.length > 0 ? wrong : judgement];
    });
    const genuine = found.flatMap(([file, judgement]) => (Array.isArray(judgement) ? [] : [{ file, judgement }]));
    const draws = drawsOf(options, deps);
    for (const { file, judgement } of genuine) deps.report.result(lineOf(file, judgement, present?.name));
    requireAll(found, options.candidate);
    return await Promise.resolve({
      schema: 'kernloop.verify-report/1',
      public_key: trusted,
      reports: genuine.map((one) => ({ ...one, inputs_seed: seedOf(one.judgement, draws) })),
      reproducer: present?.name ?? null,
    });
  } finally {
    present?.close();
  }
}

/** Null for whoever has not the home of the judge. */
function drawsOf({ home, publicKey }: VerifyReportOptions, { env }: Deps): DrawInputs | null {
  // A key that is named may be of a judge elsewhere, whose user needs no home here.
  if (home === undefined && publicKey !== undefined) return null;
  return secretInputsIn(homeFolder(home, env));
}

/** Seed of the derived inputs, unless they were drawn from another secret. */
function seedOf({ decided_by: decidedBy }: Judgement, draws: DrawInputs | null): number | null {
  const commitment = decidedBy?.secret_inputs?.commitment;
  const drawn = commitment === undefined || !decidedBy || !draws ? null : draws(decidedBy);
  return drawn?.commitment === commitment ? (drawn?.seed ?? null) : null;
}

/** Exit code of the worst verdict. */
export function exitCodeOf({ reports }: Pick<VerifyReportResult, 'reports'>): number {
  return exitCodeOfJudge({ judgements: reports.map(({ judgement }) => judgement) });
}

function requireUsable({ file, candidate, reproducer }: VerifyReportOptions): void {
  if (candidate.length === 0) return;
  if (reproducer === undefined) {
    throw new KernloopError(
      'USAGE',
      '--candidate is given without --reproducer, whose files the candidate replaces',
      'name the reproducer as well',
    );
  }
  if (candidate.length === file.length) return;
  throw new KernloopError(
    'USAGE',
    `${file.length} reports and ${candidate.length} candidates are named, and each report is on one candidate`,
    'name as many candidates as reports, in the same order',
  );
}

const hourMs = 3_600_000;
/** Clocks of two machines differ by less. */
const clockErrorMs = 300_000;

function notAsAsked(
  { decided_by: decidedBy, judged_at: judgedAt }: Judgement,
  { requireSandbox, maxAgeHours }: VerifyReportOptions,
  now: Date,
): string[] {
  const ageMs = now.getTime() - Date.parse(judgedAt);
  const isOfNow = maxAgeHours === undefined || (ageMs <= maxAgeHours * hourMs && ageMs >= -clockErrorMs);
  return [
    ...(requireSandbox && decidedBy?.sandboxed === false ? ['sandboxed: it was compiled without the sandbox'] : []),
    ...(isOfNow ? [] : [`judged_at: ${judgedAt} is not in the last ${maxAgeHours} h`]),
  ];
}

function requireAll(found: readonly (readonly [string, Judgement | string[]])[], candidates: readonly string[]): void {
  const refused = found.flatMap(([file, wrong]) => (Array.isArray(wrong) ? [{ file, wrong }] : []));
  if (refused.length === 0) return;
  const again = 'run `kernloop judge` on the candidate again, or bring back what it was judged by';
  const isOfOtherSources = refused.some(({ wrong }) => wrong.some((words) => words.startsWith('sources: ')));
  throw new KernloopError(
    'REPORT_FORGED',
    printable(refused.map(({ file, wrong }) => [`${file} is refused:`, ...wrong].join('\n  ')).join('\n')),
    isOfOtherSources && candidates.length === 0
      ? `name the candidate that it is on, if that is not the text in the reproducer: --candidate FILE; else ${again}`
      : again,
  );
}

function lineOf(file: string, judgement: Judgement, reproducer: string | undefined): string {
  const { kernel, decided_by: decidedBy, judged_at: judgedAt } = judgement;
  const how = decidedBy === null ? '' : describe(decidedBy);
  const line = judgementLine({ ...judgement, label: file });
  const of = reproducer === undefined ? 'not held against a reproducer' : 'of what is there now';
  return printable(`${line}\n  ${kernel}, judged ${judgedAt}${how}; ${decidedBy === null ? 'of no code' : of}`);
}

const describe = ({ kernloop, device, sandboxed }: DecidedBy): string =>
  ` by Kernloop ${kernloop} on ${device.identity}, ${sandboxed ? 'sandboxed' : 'not sandboxed'}`;
