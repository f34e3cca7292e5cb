import { isJudgedByRanges, selfcheckFile } from '../archive/capture-files';
import type { Deps } from '../deps/deps';
import type { Derivation, ReplayRequest } from '../replay/program';
import type { ReplaySession } from '../replay/session';
import { replayWithinLimit } from '../replay/within-limit';
import { describeFault } from '../replay/fault-text';
import { scalarType } from '../reproducer/configured-launch';
import type { ElementType, KernelArg } from '../reproducer/kernel-json';
import { targetOf } from '../reproducer/named-arrays';
import { bytesOf, claimsOn, elementOfSignature, withCapturedTypes, type Place } from '../reproducer/signature';
import { KernloopError } from '../support/error';
import { exitCodes } from '../support/error-codes';
import { inputWords, withFailure, withInputs } from './derived-inputs-text';
import { inputRecords, movedIn, type NamedDerivation } from './input-records';
import type { JudgingOptions } from './options';
import { argumentNames, comparedRegions } from './regions';
import type { DerivedInputs, DispatchReport } from './report-json';
import type { Case } from './run-case';

type InputOptions = Pick<
  JudgingOptions,
  'inputs' | 'inputsSeed' | 'inputsOnly' | 'inputsSpecial' | 'inputsKeep' | 'inputsRecord' | 'isSeedSecret'
>;

/** Integer types that may hold a problem size (a byte is a flag), and floating-point types. */
const changeable: ReadonlySet<string> = new Set(['i16', 'u16', 'i32', 'u32', 'i64', 'u64', 'f32', 'f64']);

/** Sources and number of derived inputs; null if none were requested. */
export function derivationOf(
  { reproducer, capture, request }: Pick<ReplaySession, 'reproducer' | 'capture' | 'request'>,
  { inputs, inputsSeed, inputsOnly, inputsSpecial, inputsKeep, inputsRecord, isSeedSecret = false }: InputOptions,
): NamedDerivation | null {
  const records = inputRecords(inputsRecord, reproducer.config, capture);
  if (inputs === 0 && inputsOnly === undefined) return null;
  if (request.launch === 'hip') {
    throw new KernloopError(
      'USAGE',
      '--inputs asks the captured code what it reads, and that is known of direct launches only',
      'leave out --launch hip, or --inputs',
    );
  }
  const config = withCapturedTypes(reproducer.config, capture);
  const scalars = config.args.flatMap((arg) => scalarOf(arg));
  const isScalar = (name: string): boolean => scalars.some((scalar) => scalar.name === name);
  const kept = inputsKeep
    .filter((name) => !isScalar(name))
    .map((name) => ({ name, ...targetOf('--inputs-keep', name, config, capture) }));
  for (const { name } of records.filter((moved) => kept.some((place) => holds(place, moved))))
    throw new KernloopError(
      'USAGE',
      `--inputs-record moves ${name}, which --inputs-keep keeps`,
      'leave out one of them',
    );
  return {
    inputs: Math.max(inputs, 1),
    seed: inputsSeed,
    ...(inputsOnly === undefined ? {} : { only: inputsOnly }),
    special: inputsSpecial,
    types: capture.regions.flatMap(({ id, base, size }) =>
      claimsOn({ id, base: BigInt(base), size }, config, capture).flatMap((claim) => {
        const [type = null, ...others] = new Set(claim.parameters.map((parameter) => elementOf(parameter)));
        if (claim.isOpen || type === null || others.length > 0 || claim.offset % bytesOf(type) !== 0) return [];
        return [{ target: claim.target, offset: claim.offset, size: claim.size, type }];
      }),
    ),
    // Triton specialises code on argument values (a multiple of 16, or 1), so they stay.
    scalars: config.language === 'triton' ? [] : scalars.filter(({ name }) => !inputsKeep.includes(name)),
    keep: kept.map(({ target, offset, size }) => ({ region: target, offset, size })),
    records,
    isSecret: isSeedSecret,
  };
}

const holds = (all: Place, part: Place): boolean =>
  all.target === part.target && all.offset <= part.offset && part.offset + part.size <= all.offset + all.size;

const elementOf = (arg: KernelArg): ElementType | null => elementOfSignature(arg) ?? arg.element;

function scalarOf(arg: KernelArg): Derivation['scalars'] {
  const type = arg.kind === 'global_buffer' ? null : scalarType(arg);
  if (type === null || !changeable.has(type) || Number(type.slice(1)) !== arg.size * 8) return [];
  return [{ name: arg.name ?? String(arg.index), offset: arg.offset, type }];
}

/** Judges right code on other inputs, where it must equal the captured code. A failure replaces the pass. */
export async function judgeInputs(judged: Case, report: DispatchReport, deps: Deps): Promise<DispatchReport> {
  const { session, selfcheck, ignored, plan, records, derivation: derive } = judged;
  if (derive === null || report.verdict !== 'pass') return report;
  const request: ReplayRequest = {
    ...session.request,
    ignore: ignored,
    elements: plan.elements,
    ...(isJudgedByRanges(selfcheck) ? { varying: selfcheckFile(session.reproducer.capture), records } : {}),
    ...(session.device.seeded ? { seed: 1 } : {}),
    compare: true,
    derive,
  };
  const held = new HeldOutput(deps);
  const outcome = await replayWithinLimit(request, session.device, held.deps).catch((error: unknown) => {
    held.tell();
    throw error;
  });
  const { result, derived, differences, faults } = outcome;
  const namesAt = argumentNames(session.reproducer.config, session.capture);
  const inputs: DerivedInputs = {
    asked: derive.inputs,
    seed: derive.seed,
    judged: result.derived?.judged ?? 0,
    dropped: result.derived?.dropped ?? 0,
    failed: result.derived?.failed ?? null,
    reason: result.reason ?? null,
    ...(derive.records.length > 0 ? { records: derive.records.map((one) => movedIn(derived, one)) } : {}),
    tried: derived.map(({ event: _event, ...input }) => ({
      ...input,
      changes: inputWords(input, namesAt, derive.isSecret),
    })),
  };
  if (result.verdict === 'pass' || result.verdict === 'vacuous')
    return { ...report, inputs, summary: withInputs(report.summary, inputs) };
  held.tell();
  const verdict = result.verdict === 'ran' ? 'fail' : result.verdict;
  const failed: DispatchReport = {
    ...report,
    inputs,
    verdict,
    exit_code: verdict === 'fail' ? exitCodes.fail : exitCodes.fault,
    differing_bytes: result.differing_bytes ?? 0,
    regions: comparedRegions([outcome], namesAt),
    differences: differences.map(({ event: _event, ...difference }) => difference),
    fault: faults[0] ? describeFault(faults[0]) : null,
  };
  return { ...failed, summary: withFailure(failed, inputs, derive.isSecret) };
}

/**
 * Output of a replay about faults, kept until it is known whom they concern: an input with which the captured code faults
 * is dropped, and a fault above a PASS would be taken for one of the variant.
 */
class HeldOutput {
  readonly deps: Deps;
  private readonly chunks: string[] = [];

  constructor(private readonly own: Deps) {
    const { run, clock, env, signal, input, native, report } = own;
    this.deps = {
      ...{ run, clock, env, signal, input, native },
      report: { ...report, output: (chunk) => this.chunks.push(chunk) },
    };
  }

  tell(): void {
    for (const chunk of this.chunks) this.own.report.output(chunk);
  }
}
