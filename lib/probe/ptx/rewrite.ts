import type { ProbeFile } from '../../trace/probe-file';
import {
  bodyCode,
  counterBytes,
  addressCode,
  baseCode,
  frameRegister,
  isOfWarps,
  lanesCode,
  Names,
  type Place,
} from './emit';
import { probeUnsupported, wordsOf } from './lexer';
import { instructionCode } from './instruction-code';
import { readModule, type Guard, type Instruction, type PtxModule } from './module';
import { readOperands } from './operands';
import { planProbes, type Plan, type PlannedMap } from './plan';
import { findSites, type ProbedFunction, type Site } from './sites';

/** What the probed kernel is given behind its own parameters, in this order. */
export type ProbeParameter =
  /** Of the records: unit by unit, 256-aligned. */
  | { readonly kind: 'records'; readonly map: string }
  /** Records that each unit wanted to write: u32 of a thread, u64 of a warp. */
  | { readonly kind: 'counts'; readonly map: string; readonly counterBytes: 4 | 8 }
  /** Lanes that left each warp: u32. */
  | { readonly kind: 'exits' }
  /** Records of a unit that there is room for: u32. */
  | { readonly kind: 'capacity'; readonly map: string };

export interface RewrittenPtx {
  readonly ptx: string;
  readonly parameters: readonly ProbeParameter[];
  readonly sites: readonly Site[];
  /** What the probes do not see, each in a sentence. */
  readonly unseen: readonly string[];
}

/**
 * Puts probes into a kernel and into the functions that it calls. Nothing of the kernel is changed: there are parameters behind its own, and
 * blocks with registers of their own between its instructions.
 */
export function rewritePtx(given: string, kernel: string, probes: ProbeFile): RewrittenPtx {
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

/** In a frame for functions every map has its place from the start. */
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

function addParameters(
  { nameEnd, parameters }: ProbedFunction['definition'],
  added: readonly string[],
  edits: Edits,
): void {
  if (added.length === 0) return;
  const list = added.join(',\n');
  if (parameters === null) edits.insert(nameEnd, `(\n${list}\n)`);
  else edits.insert(parameters.close, `${parameters.isEmpty ? '' : ','}\n${list}\n`);
}

const frameParameter = ({ prefix }: Plan): string => `${prefix}frame_param`;

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
  // What follows the prologue does not measure it.
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

function frameStart({ plan }: Place, names: Names): string[] {
  const frame = frameRegister(plan);
  const variable = `${plan.prefix}frame`;
  const code = [
    `.local .align 8 .b8 ${variable}[${plan.frameBytes}]; .reg .b64 ${frame}; mov.u64 ${frame}, ${variable};`,
  ];
  for (const map of plan.maps) {
    code.push(
      `st.local.u64 [${frame}+${map.frameOffset}], ${map.base}; st.local.u64 [${frame}+${map.frameOffset + 8}], ${map.counts};`,
    );
    if (map.records !== null) continue;
    const capacity = names.register();
    code.push(
      `{ .reg .b32 ${capacity}; ld.param.u32 ${capacity}, [${map.capacityParameter}]; st.local.u32 [${frame}+${map.frameOffset + 16}], ${capacity}; }`,
    );
  }
  if (plan.exitsParameter !== null) {
    const exits = names.register();
    code.push(
      `{ .reg .b64 ${exits};`,
      ...addressCode(plan.exitsParameter, 'warp', 4, exits, names),
      `st.local.u64 [${frame}+${plan.exitsOffset}], ${exits}; }`,
    );
  }
  return code;
}

function functionStart({ plan }: Place): string[] {
  const frame = frameRegister(plan);
  return [
    `.reg .b64 ${frame}; ld.param.b64 ${frame}, [${frameParameter(plan)}];`,
    ...registersCode(plan),
    ...frameCode(plan, 'ld'),
  ];
}

/** Registers of probes to the frame, or back. */
function frameCode(plan: Plan, operation: 'ld' | 'st'): string[] {
  const frame = frameRegister(plan);
  const move = (bits: number, register: string, offset: number): string =>
    operation === 'ld'
      ? `ld.local.u${bits} ${register}, [${frame}+${offset}];`
      : `st.local.u${bits} [${frame}+${offset}], ${register};`;
  return [
    ...Array.from({ length: plan.scratch }, (_, index) => move(64, `%NR${index}`, index * 8)),
    ...plan.maps.filter((map) => !isOfWarps(map)).map((map) => move(32, map.count, map.frameOffset + 20)),
  ];
}

/** Hands the frame to a function as one parameter more. */
function callCode(
  text: string,
  { opcode, guard, operands }: Instruction,
  plan: Plan,
  names: Names,
): { before: string[]; text: string; after: string[] } {
  const parameter = `${names.register().slice(1)}_param`;
  const all = readOperands(text, operands).map((operand) => operand.text);
  const callee = all.findIndex((operand) => !operand.startsWith('('));
  const given = all[callee + 1];
  const handed =
    given === undefined || /^\(\s*\)$/.test(given) ? `(${parameter})` : given.replace(/\)$/, `, ${parameter})`);
  const lead = guard ? `@${guard.negated ? '!' : ''}${guard.register} ` : '';
  return {
    before: ['{', `.param .b64 ${parameter}; st.param.b64 [${parameter}], ${frameRegister(plan)};`],
    text: `${lead}${opcode.join('.')} ${[...all.slice(0, callee + 1), handed].join(', ')};`,
    after: ['}'],
  };
}

/** What happens at the end of the kernel, before a thread leaves it. */
function exitCode(place: Place, scope: Instruction['scope'], guard: Guard | null, names: Names): string[] {
  const { plan } = place;
  const code: string[] = [];
  let last: Guard | null = null;
  for (const { probe, atKernel, after } of plan.probes) {
    if (!atKernel || after === null) continue;
    if (probe.level === 'warp' && last === null) {
      last = { register: names.register(), negated: false };
      code.push(...lastLaneCode(place, guard, last.register, names));
    }
    const body = bodyCode(after, {
      ...{ place, probe: probe.name, names, scope, values: new Map<string, string>() },
      guard,
      ...(probe.level === 'warp' && last ? { leader: last } : {}),
    });
    code.push(`{ // probe ${probe.name}`, ...body, '}');
  }
  return [...code, ...countsCode(place, guard, names)];
}

/**
 * A warp ends when its last lane leaves it, be it here or elsewhere; of the lanes that leave together the first is asked. Where all leave
 * together, which is where most warps end, no memory is touched.
 */
function lastLaneCode({ plan, isEntry }: Place, guard: Guard | null, last: string, names: Names): string[] {
  const [mask, lower, leaving, lanes, before] = Array.from({ length: 5 }, () => names.register());
  const [some, done, exits] = [names.register(), names.register(), names.register()];
  const operand = guard ? `${guard.negated ? '!' : ''}${guard.register}` : null;
  if (plan.exitsParameter === null) throw new Error('a probe at the end of warps has a buffer of exits');
  return [
    `.reg .pred ${last}; {`,
    `.reg .b32 ${mask}, ${lower}, ${leaving}, ${lanes}, ${before}; .reg .pred ${some}, ${done}; .reg .b64 ${exits};`,
    `activemask.b32 ${mask};`,
    ...(operand === null ? [] : [`vote.sync.ballot.b32 ${mask}, ${operand}, ${mask};`]),
    `mov.u32 ${lower}, %lanemask_lt; and.b32 ${lower}, ${lower}, ${mask}; popc.b32 ${leaving}, ${mask};`,
    `setp.eq.${operand === null ? '' : 'and.'}u32 ${last}, ${lower}, 0${operand === null ? '' : `, ${operand}`};`,
    '{',
    ...lanesCode(lanes ?? '', names),
    '}',
    `setp.ne.and.u32 ${some}, ${leaving}, ${lanes}, ${last}; mov.u32 ${before}, 0;`,
    ...(isEntry
      ? ['{', ...addressCode(plan.exitsParameter, 'warp', 4, exits ?? '', names), '}']
      : [`ld.local.u64 ${exits}, [${frameRegister(plan)}+${plan.exitsOffset}];`]),
    `@${some} atom.global.add.u32 ${before}, [${exits}], ${leaving};`,
    `add.u32 ${before}, ${before}, ${leaving}; setp.eq.and.u32 ${done}, ${before}, ${lanes}, ${last}; mov.pred ${last}, ${done};`,
    '}',
  ];
}

/** How many records each thread wanted to write. */
function countsCode(place: Place, guard: Guard | null, names: Names): string[] {
  const lead = guard ? `@${guard.negated ? '!' : ''}${guard.register} ` : '';
  const { plan, isEntry, early } = place;
  return plan.maps
    .filter((map) => !isOfWarps(map))
    .flatMap((map) => {
      if (isEntry && early.has(map)) return [`${lead}st.global.u32 [${map.counts}], ${map.count};`];
      const counts = names.register();
      const code = isEntry
        ? addressCode(map.countsParameter, map.map.level, 4, counts, names)
        : [`ld.local.u64 ${counts}, [${frameRegister(plan)}+${map.frameOffset + 8}];`];
      return [`{ .reg .b64 ${counts};`, ...code, `${lead}st.global.u32 [${counts}], ${map.count}; }`];
    });
}

/** Without the other kernels, whose code would be compiled for nothing; a module may have hundreds. */
function kernelAlone(module: PtxModule, kernel: string): PtxModule {
  const { text, functions, sections } = module;
  const others = functions.filter(({ isEntry, name }) => isEntry && name !== kernel);
  const labels = new Set(others.flatMap(({ body }) => body?.labels ?? []));
  const isDebugged = sections.some(({ start, end }) => names(labels, text.slice(start, end)));
  if (others.length === 0 || isDebugged) return module;
  const edits = new Edits();
  for (const { start, end } of others) edits.replace(start, end, '');
  const kept = edits.apply(text);
  return names(new Set(others.map(({ name }) => name)), kept) ? module : readModule(kept);
}

function names(wanted: ReadonlySet<string>, text: string): boolean {
  if (wanted.size > 0) for (const word of wordsOf(text)) if (wanted.has(word)) return true;
  return false;
}

/** Insertions and replacements by their places in the text. */
class Edits {
  private readonly list: { start: number; end: number; text: string; order: number }[] = [];

  insert(at: number, text: string): void {
    this.list.push({ start: at, end: at, text, order: this.list.length });
  }

  replace(start: number, end: number, text: string): void {
    this.list.push({ start, end, text, order: this.list.length });
  }

  apply(text: string): string {
    const parts: string[] = [];
    let at = 0;
    for (const edit of this.list.sort((a, b) => a.start - b.start || a.order - b.order)) {
      parts.push(text.slice(at, edit.start), edit.text);
      at = edit.end;
    }
    return parts.join('') + text.slice(at);
  }
}
