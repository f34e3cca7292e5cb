import { barriers, globalOf, touchesMemory } from './accesses';
import type { Edits } from './edits';
import { leaves, type Instruction } from './module';
import { readOperands, type AddressOperand } from './operands';

/** Stores, and a later atomic, flag or ticket that other blocks may see first, because no fence is between them. */
export interface Overtaken {
  readonly stores: readonly Instruction[];
  readonly by: Instruction;
}

/** More stores in a row publish no flag. */
const mostStores = 8;

/**
 * PTX does not order a weak, relaxed or volatile store before a later relaxed or volatile access to another address
 * (PTX ISA, memory consistency model; volatile is relaxed at system scope), though a GPU mostly does. Only pairs in one
 * basic block with no memory access between them are found, so that the store may be made later.
 */
export function overtakenStores(text: string, instructions: readonly Instruction[]): Overtaken[] {
  const found: Overtaken[] = [];
  let stores: Instruction[] = [];
  let before: Instruction | null = null;
  for (const instruction of instructions) {
    // A label: control may come from another block.
    if (before && text.slice(before.end, instruction.start).includes(':')) stores = [];
    before = instruction;
    const isPlain = addressOf(text, instruction) !== null;
    if (isPublishing(instruction) && isPlain) {
      const late = movable(text, stores, instruction).slice(-mostStores);
      if (late.length > 0) {
        found.push({ stores: late, by: instruction });
        stores = [];
        continue;
      }
    }
    if (isStore(instruction)) {
      stores = isPlain ? [...movable(text, stores, instruction), instruction] : [];
      continue;
    }
    const ends = touchesMemory(instruction) || isOrdering(instruction) || leaves(instruction.opcode);
    stores = ends ? [] : movable(text, stores, instruction);
  }
  return found;
}

/** Registers of the prologue have this prefix. */
interface Late {
  readonly prefix: string;
  /** Delay before the late stores, done twice. */
  readonly nanoseconds: number;
}

/**
 * Makes the stores directly before the access that may overtake them, or after it and a delay; the caller removes the
 * originals. Addresses within 128 bytes keep their order.
 */
export function makeLate(
  text: string,
  { stores, by }: Overtaken,
  site: number,
  { prefix, nanoseconds }: Late,
  edits: Edits,
): void {
  const r = `%${prefix}`;
  const target = addressOf(text, by);
  if (!target) throw new Error('pairs have plain addresses');
  const isLate = `${r}is_late`;
  const asked = [
    `.reg .b64 ${r}x, ${r}y; .reg .pred ${r}p;`,
    `setp.eq.u32 ${isLate}, ${r}late, ${site};`,
    ...into(`${r}x`, target),
    ...stores.flatMap((store) => {
      const address = addressOf(text, store);
      if (!address) throw new Error('pairs have plain addresses');
      return [
        ...into(`${r}y`, address),
        `xor.b64 ${r}y, ${r}y, ${r}x; shr.u64 ${r}y, ${r}y, 7; setp.ne.and.u64 ${isLate}, ${r}y, 0, ${isLate};`,
      ];
    }),
    `not.pred ${r}p, ${isLate};`,
  ];
  const made = (when: string): string[] => stores.flatMap((store) => guarded(text, store, when, `${r}q`));
  edits.insert(by.start, scope([...asked, `.reg .pred ${r}q;`, ...made(`${r}p`)]));
  edits.insert(
    by.end,
    scope([
      `.reg .pred ${r}p, ${r}q;`,
      `setp.gt.and.u32 ${r}p, ${r}halves, 0, ${isLate};`,
      `@${r}p sub.u32 ${r}halves, ${r}halves, 1; @${r}p nanosleep.u32 ${nanoseconds}; @${r}p nanosleep.u32 ${nanoseconds};`,
      ...made(isLate),
    ]),
  );
}

const scope = (lines: readonly string[]): string => `\n{\n${lines.join('\n')}\n}\n`;

function into(register: string, { base, offset }: AddressOperand): string[] {
  return [`mov.u64 ${register}, ${base ?? ''}; add.s64 ${register}, ${register}, ${offset ?? 0};`];
}

/** The store under `when` and its own guard. */
function guarded(text: string, { guard, head, end }: Instruction, when: string, scratch: string): string[] {
  const store = text.slice(head, end);
  if (guard === null) return [`@${when} ${store}`];
  const own = guard.negated
    ? [`not.pred ${scratch}, ${guard.register}; and.pred ${scratch}, ${scratch}, ${when};`]
    : [`and.pred ${scratch}, ${guard.register}, ${when};`];
  return [...own, `@${scratch} ${store}`];
}

const orderedWords = ['release', 'acq_rel', 'async', 'bulk'];

/** Whether an access is to memory that others see, and is not ordered after earlier accesses. */
const isUnordered = (instruction: Instruction): boolean =>
  globalOf(instruction) === 'store' && !instruction.opcode.some((part) => orderedWords.includes(part));

const isStore = (instruction: Instruction): boolean => instruction.opcode[0] === 'st' && isUnordered(instruction);

/** Whether other threads may poll or count with this access. */
function isPublishing(instruction: Instruction): boolean {
  const [name = '', ...parts] = instruction.opcode;
  if (name === 'st')
    return isStore(instruction) && parts.some((part) => ['volatile', 'relaxed', 'mmio'].includes(part));
  return (name === 'atom' || name === 'red') && isUnordered(instruction);
}

const isOrdering = ({ opcode: [name = ''] }: Instruction): boolean =>
  barriers.has(name) || name === 'call' || name.startsWith('griddep') || name === 'discard';

function addressOf(text: string, { operands }: Instruction): AddressOperand | null {
  const found = readOperands(text, operands).find((operand) => operand.kind === 'address');
  return found?.kind === 'address' && found.base !== null && /^[%A-Za-z_$]/.test(found.base) ? found : null;
}

/**
 * Stores that have the same effect after another instruction. A store that does not, and all before it, stay in place:
 * they may have its address.
 */
function movable(text: string, stores: readonly Instruction[], behind: Instruction): Instruction[] {
  return stores.slice(stores.findLastIndex((store) => !staysTrue(text, store, behind)) + 1);
}

/** Whether the other instruction writes none of the store's registers and is in the same scope. */
function staysTrue(text: string, store: Instruction, other: Instruction): boolean {
  if (store.scope !== other.scope) return false;
  const [written] = ['st', 'red'].includes(other.opcode[0] ?? '') ? [] : readOperands(text, other.operands);
  const mine = new Set([
    ...readOperands(text, store.operands).flatMap(({ registers }) => registers),
    store.guard?.register,
  ]);
  return !(written?.registers ?? []).some((register) => mine.has(register));
}
