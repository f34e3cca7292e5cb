import { join } from 'node:path';
import type { Deps } from '../deps/deps';
import { openReproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import { exitCodes } from '../support/error-codes';
import { writeOutput } from '../support/output-file';
import { jsonText } from '../support/files';
import { throwIfInterrupted } from '../support/interrupted';
import { candidateAt } from './candidates-in';
import { Judge } from './judge';
import { confinement } from './confinement';
import type { Judgement } from './judgement-json';
import type { JudgeOptions } from './options';
import type { JudgeResult } from './result';
import type { Sealed } from './seal';
import { judgementLine } from './text';

/** Judges candidates against captures: each one is compiled in a sandbox, replayed, compared and scored. */
export async function judge(options: JudgeOptions, deps: Deps): Promise<JudgeResult> {
  const confine = await confinement(options, deps);
  const variant = variantOf(options);
  const candidates = options.candidate.map((path) => candidateAt(path, variant));
  const judge = await Judge.open(options, confine, deps, { isLasting: false });
  const stop = (): void => void judge.close();
  deps.signal.addEventListener('abort', stop);
  try {
    const sealed = await Promise.all(
      candidates.map(async (candidate) => {
        const { id } = judge.submit({ ...candidate, kernel: candidate.kernel ?? options.kernel });
        const verdict = await judge.verdict(id);
        deps.report.result(judgementLine(verdict.judgement));
        return verdict;
      }),
    );
    return {
      schema: 'kernloop.judge/1',
      judgements: sealed.map(({ judgement }) => judgement),
      reports: sealed.map((one) => writeReport(one, options, judge, deps)),
      public_key: judge.publicKey,
    };
  } catch (error) {
    throwIfInterrupted(deps.signal);
    throw error;
  } finally {
    deps.signal.removeEventListener('abort', stop);
    await judge.close();
  }
}

/** The file that a single source replaces: that of the kernel, or of the only reproducer. */
function variantOf({ reproducer, kernel }: JudgeOptions): string {
  const all = reproducer.map((folder) => openReproducer(folder));
  const named = all.find(({ config }) => config.name === kernel) ?? all[0];
  const variant = named?.config.source?.variant;
  if (variant !== undefined) return variant;
  throw new KernloopError(
    'SOURCE_NOT_FOUND',
    `${named?.config.name ?? 'the kernel'} has no source, so that no candidate can replace it`,
    'judge a reproducer that has kernel_variant.*; `kernloop validate --variant FILE` judges a code object',
  );
}

function writeReport(sealed: Sealed, { reports }: JudgeOptions, judge: Judge, deps: Deps): string {
  if (reports === undefined) return judge.reportFile(sealed.judgement.id);
  const path = join(reports, `${sealed.judgement.id}.json`);
  writeOutput(path, jsonText(sealed), deps.env);
  return path;
}

const worst: readonly (readonly [Judgement['verdict'], number])[] = [
  ['error', exitCodes.environment],
  ['cancelled', exitCodes.interrupted],
  ['fault', exitCodes.fault],
  ['limit', exitCodes.fault],
  ['fail', exitCodes.fail],
  ['not-launched', exitCodes.fail],
  ['not-compiled', exitCodes.fail],
  ['vacuous', exitCodes.vacuous],
];

/** Exit code of the worst verdict. */
export function exitCodeOf({ judgements }: Pick<JudgeResult, 'judgements'>): number {
  return worst.find(([verdict]) => judgements.some((one) => one.verdict === verdict))?.[1] ?? exitCodes.pass;
}
