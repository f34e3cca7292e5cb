import type { ProbeFile } from '../../trace/probe-file';
import { Edits } from '../../ptx/edits';
import { addParameters, kernelAlone, limitRegisters } from '../../ptx/kernel-edits';
import { addressCode, baseCode, bodyCode, counterBytes, frameRegister, isOfWarps, Names, type Place } from './emit';
import { exitCode } from './exit-code';
import { callCode, frameCode, frameParameter, frameStart } from './frame';
import { instructionCode } from './instruction-code';
import { probeUnsupported } from '../../ptx/lexer';
import { readModule, type Guard, type PtxModule } from '../../ptx/module';
import { planProbes, type Plan, type PlannedMap } from './plan';
import { findSites, type ProbedFunction, type Site } from './sites';

/** Parameters that follow the probed kernel's own, in this order. */
export type ProbeParameter =
  /** Buffer of records: unit by unit, 256-byte aligned. */
  | { readonly kind: 'records'; readonly map: string }
  /** Records that each unit wanted to write: u32 per thread, u64 per warp. */
  | { readonly kind: 'counts'; readonly map: string; readonly counterBytes: 4 | 8 }
  /** Lanes that left each warp: u32. */
  | { readonly kind: 'exits' }
  /** Capacity of a unit in records: u32. */
  | { readonly kind: 'capacity'; readonly map: string };

export interface RewrittenPtx {
  readonly ptx: string;
  readonly parameters: readonly ProbeParameter[];
  readonly sites: readonly Site[];
  /** Sentences that each name something the probes do not see. */
  readonly unseen: readonly string[];
}

/**
 * Inserts probes into a kernel and the functions that it calls. The kernel's own code stays as it is: parameters are
 * appended, and blocks with registers of their own are put between its instructions. With `blockThreads`, register use
 * is limited to what blocks of that many threads can have.
 */
export function rewritePtx(
  given: string,
  kernel: string,
  probes: ProbeFile,
  blockThreads: number | null = null,
): RewrittenPtx {
  const module = kernelAlone(readModule(given), kernel);
  const { text } = module;
  const plan = planProbes(probes, text);
  refuseModule(module, plan);
  const { entry, functions, sites, unseen } = findSites(module, kernel, plan);
  const edits = new Edits();
  const names = new Names(plan.prefix);
  const early = savedByInstructions(plan, functions.size > 0);
  const place = (isEntry: boolean): Place => ({ plan, isEntry, early });
  rewriteFunction(text, entry, place(true), functions, names, edits);
  for (const one of functions.values()) rewriteFunction(text, one, place(false), functions, names, edits);
  for (const declared of module.functions) {
    if (functions.has(declared.name)) addParameters(declared, [`.param .b64 ${frameParameter(plan)}`], edits);
  }
  addParameters(entry.definition, plan.maps.length === 0 ? [] : parameterList(plan), edits);
  if (blockThreads !== null) limitRegisters(text, entry.definition, blockThreads, edits);
  return { ptx: edits.apply(text), parameters: parametersOf(plan), sites, unseen };
}

function refuseModule({ text, addressSize, version }: PtxModule, plan: Plan): void {
  if (addressSize !== 64) throw probeUnsupported('the PTX has addresses of 32 bits', 'compile it for 64 bits');
  if (version < 602)
    throw probeUnsupported(
      'the PTX is older than version 6.2, which has `activemask`',
      'compile it with CUDA 9.2 or newer',
    );
  if (/%NR\d/.test(text)) throw probeUnsupported('the PTX has registers %NR0, … of its own', 'call them otherwise');
  if (plan.scratch < 1) throw new Error('Neutrino gives every probe a register');
}

/** Returns all maps if functions need a frame, because the prologue stores every map's addresses in it. */
function savedByInstructions({ maps, probes }: Plan, hasFrame: boolean): ReadonlySet<PlannedMap> {
  if (hasFrame) return new Set(maps);
  const names = new Set(
    probes
      .filter(({ positions }) => positions.length > 0)
      .flatMap(({ before, after }) => [...(before?.statements ?? []), ...(after?.statements ?? [])])
      .flatMap((statement) => (statement.kind === 'save' ? [statement.map.name] : [])),
  );
  return new Set(maps.filter(({ map }) => names.has(map.name)));
}

function parametersOf({ maps, exitsParameter }: Plan): ProbeParameter[] {
  return [
    ...maps.flatMap((map): ProbeParameter[] => [
      { kind: 'records', map: map.map.name },
      { kind: 'counts', map: map.map.name, counterBytes: isOfWarps(map) ? 8 : 4 },
    ]),
    ...(exitsParameter === null ? [] : [{ kind: 'exits' } as const]),
    ...maps
      .filter(({ records }) => records === null)
      .map((map): ProbeParameter => ({ kind: 'capacity', map: map.map.name })),
  ];
}

function parameterList({ maps, exitsParameter }: Plan): string[] {
  return [
    ...maps.flatMap((map) => [`.param .u64 ${map.recordsParameter}`, `.param .u64 ${map.countsParameter}`]),
    ...(exitsParameter === null ? [] : [`.param .u64 ${exitsParameter}`]),
    ...maps.filter(({ records }) => records === null).map((map) => `.param .u32 ${map.capacityParameter}`),
  ];
}

function rewriteFunction(
  text: string,
  { definition, isEntry, hits, calls }: ProbedFunction,
  place: Place,
  functions: ReadonlyMap<string, ProbedFunction>,
  names: Names,
  edits: Edits,
): void {
  const { plan } = place;
  const { body } = definition;
  if (body === null) throw new Error('only what is defined is rewritten');
  if (isEntry) {
    const declared = plan.probes.flatMap(({ atKernel, before }) => (atKernel ? (before?.registers ?? []) : []));
    body.scope.registers.push(...declared);
  }
  edits.insert(body.start, block(isEntry ? entryStart(place, functions.size > 0, names) : functionStart(place)));
  const scope = body.scope;
  const end = (guard: Guard | null, opcode: string): string[] =>
    isEntry || opcode === 'exit' ? exitCode(place, scope, guard, names) : opcode === 'ret' ? frameCode(plan, 'st') : [];
  for (const instruction of body.instructions) {
    const [name = ''] = instruction.opcode;
    const ending = name === 'ret' || name === 'exit' ? end(instruction.guard, name) : [];
    const hit = hits.get(instruction);
    const callee = calls.get(instruction);
    if (ending.length === 0 && hit === undefined && callee === undefined) continue;
    const around = hit ? instructionCode(text, instruction, hit, place, names) : { before: [], after: [] };
    const called = callee === undefined ? null : callCode(text, instruction, plan, names);
    const before = [...around.before, ...ending, ...(called ? [...frameCode(plan, 'st'), ...called.before] : [])];
    const after = [...(called ? [...called.after, ...frameCode(plan, 'ld')] : []), ...around.after];
    edits.insert(instruction.start, block(['{', ...before]));
    if (called) edits.replace(instruction.start, instruction.end, called.text);
    edits.insert(instruction.end, block([...after, '}']));
  }
  if (body.fallsThrough) edits.insert(body.end, block(['{', ...end(null, 'ret'), '}']));
}

const block = (lines: readonly string[]): string => `\n${lines.join('\n')}\n`;

function entryStart(place: Place, hasFrame: boolean, names: Names): string[] {
  const { plan, early } = place;
  const { maps, probes } = plan;
  const code = registersCode(plan);
  for (const map of maps) {
    if (!early.has(map)) continue;
    const counts = addressCode(map.countsParameter, map.map.level, counterBytes(map), map.counts, names);
    code.push(
      `.reg .b64 ${map.base}, ${map.counts};`,
      '{',
      ...baseCode(map, map.base, names),
      '}',
      '{',
      ...counts,
      '}',
    );
  }
  if (hasFrame) code.push(...frameStart(place, names));
  // Kernel probes come last in the prologue, so that they do not measure it.
  for (const { probe, atKernel, before } of probes) {
    if (!atKernel || before === null) continue;
    const first = names.register();
    if (probe.level === 'warp') {
      const lane = names.register();
      code.push(`.reg .pred ${first}; .reg .b32 ${lane}; mov.u32 ${lane}, %laneid; setp.eq.u32 ${first}, ${lane}, 0;`);
    }
    code.push(
      `// probe ${probe.name}`,
      ...bodyCode(before, {
        place,
        probe: probe.name,
        names,
        scope: { parent: null, registers: [] },
        values: new Map(),
        guard: null,
        ...(probe.level === 'warp' ? { leader: { register: first, negated: false } } : {}),
      }),
    );
  }
  return code;
}

function registersCode({ scratch, maps }: Plan): string[] {
  const zeroed = Array.from({ length: scratch }, (_, index) => `mov.u64 %NR${index}, 0;`);
  const counts = maps.filter((map) => !isOfWarps(map)).map(({ count }) => `.reg .b32 ${count}; mov.u32 ${count}, 0;`);
  return [`.reg .u64 %NR<${scratch}>;`, zeroed.join(' '), ...counts];
}

function functionStart({ plan }: Place): string[] {
  const frame = frameRegister(plan);
  return [
    `.reg .b64 ${frame}; ld.param.b64 ${frame}, [${frameParameter(plan)}];`,
    ...registersCode(plan),
    ...frameCode(plan, 'ld'),
  ];
}
