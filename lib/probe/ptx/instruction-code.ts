import { bodyCode, type Names, type Place } from './emit';
import { probeUnsupported } from '../../ptx/lexer';
import { registerType, type Guard, type Instruction, type Scope } from '../../ptx/module';
import { accessedAddress, movedBytes } from './opcode';
import { readOperands, type AddressOperand, type Operand } from '../../ptx/operands';
import type { PlannedProbe } from './plan';
import type { ProbeBody } from './body';

/** Probe code before and after an instruction. */
export function instructionCode(
  text: string,
  instruction: Instruction,
  hits: readonly PlannedProbe[],
  place: Place,
  names: Names,
): { before: string[]; after: string[] } {
  const operands = readOperands(text, instruction.operands);
  const behind = hits.some(({ after }) => after !== null);
  const code = new Operands(instruction, operands, behind, names);
  const guard = code.guard(behind);
  const before: string[] = [];
  const after: string[] = [];
  for (const { probe, ...bodies } of hits) {
    for (const [body, into] of [
      [bodies.before, before],
      [bodies.after, after],
    ] as const) {
      if (body === null) continue;
      const values = code.values(body, probe.name);
      // Only SAVE needs a lane that acts for the warp.
      const isAsked = probe.level === 'warp' && body.statements.some(({ kind }) => kind === 'save');
      const leader = isAsked ? names.register() : null;
      into.push(
        `{ // probe ${probe.name}`,
        ...(leader === null ? [] : leaderCode(leader, guard, names)),
        ...bodyCode(body, {
          ...{ place, probe: probe.name, names, scope: code.scope, values },
          guard,
          ...(leader === null ? {} : { leader: { register: leader, negated: false } }),
        }),
        '}',
      );
    }
  }
  return { before: [...code.setup, ...before], after };
}

/** Selects the first of the lanes that execute the instruction together. */
function leaderCode(leader: string, guard: Guard | null, names: Names): string[] {
  const [mask, lower] = [names.register(), names.register()];
  const operand = guard ? `${guard.negated ? '!' : ''}${guard.register}` : null;
  return [
    `.reg .pred ${leader}; .reg .b32 ${mask}, ${lower}; activemask.b32 ${mask};`,
    ...(operand === null ? [] : [`vote.sync.ballot.b32 ${mask}, ${operand}, ${mask};`]),
    `mov.u32 ${lower}, %lanemask_lt; and.b32 ${lower}, ${lower}, ${mask};`,
    `setp.eq.${operand === null ? '' : 'and.'}u32 ${leader}, ${lower}, 0${operand === null ? '' : `, ${operand}`};`,
  ];
}

/** Operands of an instruction that probes can name. Registers that the instruction overwrites are copied first. */
class Operands {
  readonly setup: string[] = [];
  /** The instruction's scope plus the copies. */
  readonly scope: Scope;
  private readonly known = new Map<string, string>();
  private readonly overwritten: ReadonlySet<string>;

  constructor(
    private readonly instruction: Instruction,
    private readonly operands: readonly Operand[],
    isReadBehind: boolean,
    private readonly names: Names,
  ) {
    this.scope = { parent: instruction.scope, registers: [] };
    const [first] = operands;
    this.overwritten = new Set(isReadBehind && first?.kind !== 'address' ? first?.registers : []);
  }

  guard(isReadBehind: boolean): Guard | null {
    const { guard } = this.instruction;
    if (guard === null || !isReadBehind || !this.overwritten.has(guard.register)) return guard;
    return { register: this.copy(guard.register, 'pred'), negated: guard.negated };
  }

  values(body: ProbeBody, probe: string): ReadonlyMap<string, string> {
    for (const name of body.placeholders) {
      if (!this.known.has(name)) this.known.set(name, this.value(name, probe));
    }
    return this.known;
  }

  private value(name: string, probe: string): string {
    const { opcode } = this.instruction;
    const missing = (why: string): Error =>
      probeUnsupported(
        `probe ${probe}: ${name} of ${opcode.join('.')} is not known: ${why}`,
        'choose other positions; docs/reference/trace-formats.md says what each placeholder means',
      );
    if (name === 'ADDR') {
      const address = accessedAddress(opcode, this.operands);
      if (typeof address === 'string') throw missing(address);
      return this.address(address, missing);
    }
    if (name === 'BYTES') return this.bytes(missing);
    const operand = this.operands[name === 'OUT' ? 0 : Number(name.slice(2))];
    if (operand === undefined) throw missing('the instruction has no such operand');
    if (operand.kind === 'address') return this.address(operand, missing);
    if (name === 'OUT') return operand.text;
    return this.kept(operand, missing);
  }

  /** 64-bit address, with the offset added. */
  private address({ base, offset }: AddressOperand, missing: (why: string) => Error): string {
    if (base === null) throw missing('it is no plain address');
    const type = this.type(base);
    if (type === null && base.startsWith('%')) throw missing(`${base} is not declared`);
    const bits = type === null ? null : /^[bus](32|64)$/.exec(type)?.[1];
    if (bits === undefined) throw missing(`${base} is no register of an address`);
    if (bits === '64' && offset === null && !this.overwritten.has(base)) return base;
    const into = this.declare('b64');
    const start = bits === '32' ? `cvt.u64.u32 ${into}, ${base};` : `mov.u64 ${into}, ${base};`;
    this.setup.push(`${start}${offset === null ? '' : ` add.s64 ${into}, ${into}, ${offset};`}`);
    return into;
  }

  private bytes(missing: (why: string) => Error): string {
    const moved = movedBytes(this.instruction.opcode, this.operands, (register) => this.type(register) === 'pred');
    if (moved.kind === 'unknown') throw missing(moved.why);
    if (moved.kind === 'constant') return String(moved.bytes);
    if (moved.kind === 'operand' && /^\d+$/.test(moved.text)) return moved.text;
    const into = this.declare('b64');
    const code =
      moved.kind === 'operand'
        ? `cvt.u64.u32 ${into}, ${moved.text};`
        : `selp.b64 ${into}, 0, ${moved.bytes}, ${moved.predicate};`;
    this.setup.push(code);
    return into;
  }

  private kept({ text, registers }: Operand, missing: (why: string) => Error): string {
    let kept = text;
    for (const register of new Set(registers.filter((one) => this.overwritten.has(one)))) {
      const type = this.type(register);
      if (type === null || /^([bus]8|.* )/.test(type))
        throw missing(`${register} is overwritten, and cannot be copied`);
      const copy = this.copy(register, type);
      kept = kept.replaceAll(new RegExp(`${register.replaceAll(/[$%]/g, '\\$&')}(?![\\w$])`, 'g'), () => copy);
    }
    return kept;
  }

  private copy(register: string, type: string): string {
    const into = this.declare(type);
    this.setup.push(`mov.${type} ${into}, ${register};`);
    return into;
  }

  private declare(type: string): string {
    const name = this.names.register();
    this.setup.push(`.reg .${type} ${name};`);
    this.scope.registers.push({ type, name, count: null });
    return name;
  }

  private type(register: string): string | null {
    return registerType(register, this.scope);
  }
}
