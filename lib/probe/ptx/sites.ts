import type { Instruction, PtxFunction, PtxModule } from '../../ptx/module';
import { leaves } from '../../ptx/module';
import { probeUnsupported, wordsOf } from '../../ptx/lexer';
import { matches } from './opcode';
import { readOperands } from '../../ptx/operands';
import type { Plan, PlannedProbe } from './plan';

/** A function and the instructions of it that change. */
export interface ProbedFunction {
  readonly definition: PtxFunction;
  readonly isEntry: boolean;
  /** Probes by instruction, in the order of the probe file. */
  readonly hits: ReadonlyMap<Instruction, readonly PlannedProbe[]>;
  /** Calls whose callee is probed too. */
  readonly calls: ReadonlyMap<Instruction, string>;
}

export interface Site {
  readonly probe: string;
  /** Instructions that a position of the probe selects, in the kernel and the functions of its module. */
  readonly instructions: number;
}

export interface ProbedModule {
  readonly entry: ProbedFunction;
  /** Probed functions by name; their declarations change as well. */
  readonly functions: ReadonlyMap<string, ProbedFunction>;
  readonly sites: readonly Site[];
  /** Sentences that each name something the probes do not see. */
  readonly unseen: readonly string[];
}

/** Finds where probes hit, and every function that must pass the probe state on. */
export function findSites(module: PtxModule, kernel: string, plan: Plan): ProbedModule {
  const entry = module.functions.find(({ isEntry, name, body }) => isEntry && name === kernel && body !== null);
  if (!entry) {
    const others = module.functions.filter(({ isEntry }) => isEntry).map(({ name }) => name);
    throw probeUnsupported(
      `the PTX has no kernel ${kernel}; it has ${others.slice(0, 3).join(', ') || 'none'}`,
      'name the PTX of the captured kernel',
    );
  }
  const defined = module.functions.filter(({ isEntry, body }) => !isEntry && body !== null);
  const callees = new Map([entry, ...defined].map((one) => [one, directCalls(module.text, one)]));
  const reached = reachedFrom(entry, defined, callees);
  const hits = new Map([...reached].map((one) => [one, hitsIn(one, plan)]));
  const leavesKernel = plan.probes.some(({ atKernel, after }) => atKernel && after !== null);
  const touched = new Set(
    [...reached].filter(
      (one) =>
        !one.isEntry &&
        ((hits.get(one)?.size ?? 0) > 0 ||
          (leavesKernel && one.body?.instructions.some(({ opcode }) => opcode[0] === 'exit'))),
    ),
  );
  // Callers of a touched function must pass the frame on.
  for (let grown = true; grown;) {
    grown = false;
    const names = new Set([...touched].map(({ name }) => name));
    for (const one of defined) {
      if (touched.has(one) || ![...(callees.get(one)?.values() ?? [])].some((name) => names.has(name))) continue;
      touched.add(one);
      grown = true;
    }
  }
  const names = new Set([...touched].map(({ name }) => name));
  refusePointers(module, names, callees);
  const probed = (definition: PtxFunction): ProbedFunction => ({
    definition,
    isEntry: definition.isEntry,
    hits: hits.get(definition) ?? new Map<Instruction, readonly PlannedProbe[]>(),
    calls: new Map([...(callees.get(definition) ?? [])].filter(([, name]) => names.has(name))),
  });
  return {
    entry: probed(entry),
    functions: new Map([...touched].map((one) => [one.name, probed(one)])),
    unseen: unseenBy(plan, [...reached], hits),
    sites: plan.probes.map((planned) => ({
      probe: planned.probe.name,
      instructions: [...hits.values()].reduce(
        (sum, found) => sum + [...found.values()].filter((probes) => probes.includes(planned)).length,
        0,
      ),
    })),
  };
}

const spaces: ReadonlySet<string> = new Set(['global', 'shared', 'local', 'const', 'param']);

/** Generic accesses may be to global memory, and no position selects them. */
function unseenBy(
  { probes }: Plan,
  reached: readonly PtxFunction[],
  hits: ReadonlyMap<PtxFunction, ReadonlyMap<Instruction, readonly PlannedProbe[]>>,
): string[] {
  const ofSpaces = probes.filter(({ positions }) => positions.some((parts) => parts.some((part) => spaces.has(part))));
  if (ofSpaces.length === 0) return [];
  const isGeneric = (opcode: readonly string[]): boolean =>
    ['ld', 'st', 'atom', 'red'].includes(opcode[0] ?? '') &&
    !opcode.some((part) => spaces.has(part.split('::')[0] ?? ''));
  const generic = reached.reduce(
    (sum, one) =>
      sum +
      (one.body?.instructions.filter((instruction) => isGeneric(instruction.opcode) && !hits.get(one)?.has(instruction))
        .length ?? 0),
    0,
  );
  return generic === 0
    ? []
    : [`${generic} loads and stores whose space the PTX does not tell (generic pointers) are at no position`];
}

/** Functions that the kernel may execute; a call through a pointer may reach any of them. */
function reachedFrom(
  entry: PtxFunction,
  defined: readonly PtxFunction[],
  callees: ReadonlyMap<PtxFunction, ReadonlyMap<Instruction, string>>,
): Set<PtxFunction> {
  const byName = new Map(defined.map((one) => [one.name, one]));
  const reached = new Set([entry]);
  for (const one of reached) {
    const calls = one.body?.instructions.filter(({ opcode }) => opcode[0] === 'call').length ?? 0;
    const direct = callees.get(one);
    if (calls > (direct?.size ?? 0)) return new Set([entry, ...defined]);
    for (const name of direct?.values() ?? []) {
      const callee = byName.get(name);
      if (callee) reached.add(callee);
    }
  }
  return reached;
}

function hitsIn({ body }: PtxFunction, { probes }: Plan): Map<Instruction, readonly PlannedProbe[]> {
  const found = new Map<Instruction, readonly PlannedProbe[]>();
  for (const instruction of body?.instructions ?? []) {
    const hit = probes.filter(({ positions }) => positions.some((position) => matches(position, instruction.opcode)));
    if (hit.length === 0) continue;
    const behind = hit.find(({ after }) => after !== null);
    if (behind && leaves(instruction.opcode))
      throw probeUnsupported(
        `probe ${behind.probe.name}: nothing is executed behind ${instruction.opcode.join('.')}`,
        'give the probe `before` there',
      );
    found.set(instruction, hit);
  }
  return found;
}

/** Direct call instructions and the names they call; calls through pointers are left out. */
function directCalls(text: string, { body }: PtxFunction): Map<Instruction, string> {
  const calls = new Map<Instruction, string>();
  for (const instruction of body?.instructions ?? []) {
    if (instruction.opcode[0] !== 'call') continue;
    const callee = calledName(text, instruction);
    if (callee !== null) calls.set(instruction, callee);
  }
  return calls;
}

/** Callee of `call (ret), name, (a, b);`, whose lists are optional; null if the callee is a register. */
function calledName(text: string, { operands }: Instruction): string | null {
  const callee = readOperands(text, operands).find(
    (operand) => operand.kind === 'plain' && !operand.text.startsWith('('),
  );
  return callee === undefined || callee.text.startsWith('%') ? null : callee.text;
}

/** Refuses pointers to probed functions: a call through one would pass the original parameters. */
function refusePointers(
  { text, functions }: PtxModule,
  names: ReadonlySet<string>,
  callees: ReadonlyMap<PtxFunction, ReadonlyMap<Instruction, string>>,
): void {
  if (names.size === 0) return;
  const expected = new Map<string, number>();
  const count = (name: string): void => {
    if (names.has(name)) expected.set(name, (expected.get(name) ?? 0) + 1);
  };
  for (const { name } of functions) count(name);
  for (const calls of callees.values()) for (const name of calls.values()) count(name);
  const seen = new Map<string, number>();
  for (const word of wordsOf(text)) if (names.has(word)) seen.set(word, (seen.get(word) ?? 0) + 1);
  for (const name of names) {
    if ((seen.get(name) ?? 0) <= (expected.get(name) ?? 0)) continue;
    throw probeUnsupported(
      `probes would have to reach into ${name}, whose address the program takes or which another kernel calls`,
      'have it inlined (__forceinline__), or choose positions that it does not have',
    );
  }
}
