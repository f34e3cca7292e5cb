import { addressCode, frameRegister, isOfWarps, type Names, type Place } from './emit';
import type { Instruction } from '../../ptx/module';
import { readOperands } from '../../ptx/operands';
import type { Plan } from './plan';

// The frame holds the probe state that functions need. It is in the thread's local memory, and each function takes its
// address as an extra parameter.

export const frameParameter = ({ prefix }: Plan): string => `${prefix}frame_param`;

export function frameStart({ plan }: Place, names: Names): string[] {
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

/** Copies the probes' registers to the frame (`st`) or back (`ld`). */
export function frameCode(plan: Plan, operation: 'ld' | 'st'): string[] {
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

/** Passes the frame to a function as an extra parameter. */
export function callCode(
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
