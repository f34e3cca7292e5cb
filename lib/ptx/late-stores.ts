import { barriers, globalOf, touchesMemory } from './accesses';
import type { Edits } from './edits';
import { leaves, type Instruction } from './module';
import { readOperands, type AddressOperand } from './operands';

/** Stores, and the atomic, flag or ticket behind them that other blocks may see first, since there is no fence between. */
export interface Overtaken {
  readonly stores: readonly Instruction[];
  readonly by: Instruction;
}

/** More in a row are nobody's flag. */
const mostStores = 8;

/**
 * PTX orders a weak, relaxed or volatile store and a relaxed or volatile access to another address behind it in no way (PTX ISA, memory consistency
 * model; volatile is relaxed at the scope of the system), though a GPU mostly does. Only such pairs are found between which nothing else touches memory, in one basic block, so that the store may be made later.
 */
export function overtakenStores(text: string, instructions: readonly Instruction[]): Overtaken[] {
  const found: Overtaken[] = [];
  let stores: Instruction[] = [];
  let before: Instruction | null = null;
  for (const instruction of instructions) {
    // A label: control may come from elsewhere.
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

/** Registers of the prologue begin with `prefix`. */
interface Late {
  readonly prefix: string;
  /** The stores are made that much later, twice. */
  readonly nanoseconds: number;
}

/**
 * Makes the stores right before the access that may overtake them, or behind it and a delay; whoever calls takes them from their places. Addresses
 * within 128 bytes keep their order.
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

/** The store, if `when` holds beside its own guard. */
function guarded(text: string, { guard, head, end }: Instruction, when: string, scratch: string): string[] {
  const store = text.slice(head, end);
  if (guard === null) return [`@${when} ${store}`];
  const own = guard.negated
    ? [`not.pred ${scratch}, ${guard.register}; and.pred ${scratch}, ${scratch}, ${when};`]
    : [`and.pred ${scratch}, ${guard.register}, ${when};`];
  return [...own, `@${scratch} ${store}`];
}

const orderedWords = ['release', 'acq_rel', 'async', 'bulk'];

/** An access to memory that others see, which nothing orders behind what is before it. */
const isUnordered = (instruction: Instruction): boolean =>
  globalOf(instruction) === 'store' && !instruction.opcode.some((part) => orderedWords.includes(part));

const isStore = (instruction: Instruction): boolean => instruction.opcode[0] === 'st' && isUnordered(instruction);

/** An access by which others poll or count. */
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

/** Those that do the same behind another instruction. One that does not stays where it is, and so do all before it: they may be of its address. */
function movable(text: string, stores: readonly Instruction[], behind: Instruction): Instruction[] {
  return stores.slice(stores.findLastIndex((store) => !staysTrue(text, store, behind)) + 1);
}

/** Whether it writes none of the store's registers, and is in the same scope. */
function staysTrue(text: string, store: Instruction, other: Instruction): boolean {
  if (store.scope !== other.scope) return false;
  const [written] = ['st', 'red'].includes(other.opcode[0] ?? '') ? [] : readOperands(text, other.operands);
  const mine = new Set([
    ...readOperands(text, store.operands).flatMap(({ registers }) => registers),
    store.guard?.register,
  ]);
  return !(written?.registers ?? []).some((register) => mine.has(register));
}
