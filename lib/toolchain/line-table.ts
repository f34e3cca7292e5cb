import { lineUnits, Malformed, orNothing, type Cursor, type LineUnit } from './debug-line';

export interface SourceLine {
  file: string;
  line: number;
}

/** `column`: counted in bytes from 1; 0 if the compiler recorded none. */
export interface SourcePlace extends SourceLine {
  column: number;
}

/** Source line of each instruction. */
export interface LineTable {
  /** Undefined if the compiler recorded no line. */
  at(address: number): SourcePlace | undefined;
  /** Every place that has instructions of its own, once for each stretch of them, with the first address. */
  places(): Iterable<SourcePlace & { address: number }>;
}

interface Row extends SourcePlace {
  address: number;
}

/** Rows by address; the last one marks the end. */
type Sequence = Row[];

/** Runs the line programs (DWARF 5, section 6.2) of a code object; null if it was built without line information. */
export function readLineTable(elf: Buffer): LineTable | null {
  const sequences = [...lineUnits(elf)].flatMap((unit) => orNothing(() => sequencesOf(unit)) ?? []);
  // Linkers give dropped code the address 0, where the file header is.
  const kept = sequences.filter(([first]) => first !== undefined && first.address > 0);
  if (kept.length === 0) return null;
  const start = (sequence: Sequence): number => sequence[0]?.address ?? 0;
  kept.sort((a, b) => start(a) - start(b));
  return {
    at: (address) => {
      const sequence = lastAtOrBelow(kept, start, address);
      const row = sequence && lastAtOrBelow(sequence, (candidate) => candidate.address, address);
      if (!row || row === sequence.at(-1) || row.line === 0) return undefined;
      return { file: row.file, line: row.line, column: row.column };
    },
    places: () => kept.flatMap(placesWithCode),
  };
}

/** A row that the next one follows at the same address has no instruction; line 0 stands for no line. */
function placesWithCode(sequence: Sequence): Row[] {
  return sequence.filter(({ address, line }, index) => {
    const next = sequence[index + 1];
    return line > 0 && next !== undefined && next.address > address;
  });
}

function lastAtOrBelow<Item>(items: readonly Item[], key: (item: Item) => number, wanted: number): Item | undefined {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && key(item) <= wanted) low = middle + 1;
    else high = middle;
  }
  return items[low - 1];
}

/** Maximum rows of a unit: a byte can create a row of some hundred bytes, so a file could exhaust memory. */
const maxRows = 1 << 20;

/** Opcode numbers (DWARF 5, tables 7.25 and 7.26). */
const standard = {
  copy: 1,
  advancePc: 2,
  advanceLine: 3,
  setFile: 4,
  setColumn: 5,
  constAddPc: 8,
  fixedAdvancePc: 9,
} as const;
const extended = { endSequence: 1, setAddress: 2 } as const;

function sequencesOf(unit: LineUnit): Sequence[] {
  const { program, lineBase, lineRange, operandCounts, minimumInstructionBytes, maximumOperations } = unit;
  if (lineRange === 0 || maximumOperations !== 1) throw new Malformed('a line program of another kind');
  const opcodeBase = operandCounts.length + 1;
  const sequences: Sequence[] = [];
  let rows: Sequence = [];
  let [address, file, line, column] = [0, 1, 1, 0];
  let rowCount = 0;
  const append = (): void => {
    rowCount += 1;
    if (rowCount > maxRows) throw new Malformed('more rows than any source gives');
    rows.push({ address, file: unit.files[file] ?? '', line, column });
  };
  const advance = (operations: number): number => (address += operations * minimumInstructionBytes);
  while (!program.isAtEnd) {
    const opcode = program.unsigned(1);
    if (opcode >= opcodeBase) {
      advance(Math.floor((opcode - opcodeBase) / lineRange));
      line += lineBase + ((opcode - opcodeBase) % lineRange);
      append();
    } else if (opcode === 0) {
      const change = extendedOperation(program);
      if (change.address !== undefined) address = change.address;
      if (!change.ends) continue;
      append();
      sequences.push(rows);
      rows = [];
      [address, file, line, column] = [0, 1, 1, 0];
    } else if (opcode === standard.copy) append();
    else if (opcode === standard.advancePc) advance(program.leb());
    else if (opcode === standard.advanceLine) line += program.signedLeb();
    else if (opcode === standard.setFile) file = program.leb();
    else if (opcode === standard.setColumn) column = program.leb();
    else if (opcode === standard.constAddPc) advance(Math.floor((255 - opcodeBase) / lineRange));
    else if (opcode === standard.fixedAdvancePc) address += program.unsigned(2);
    else for (let operand = operandCounts[opcode - 1] ?? 0; operand > 0; operand -= 1) program.leb();
  }
  return sequences;
}

function extendedOperation(program: Cursor): { ends: boolean; address?: number } {
  const bytes = program.leb();
  if (bytes === 0) throw new Malformed('an operation without a code');
  const code = program.unsigned(1);
  if (code === extended.setAddress && bytes === 9) {
    return { ends: false, address: program.address() };
  }
  program.skip(bytes - 1);
  return { ends: code === extended.endSequence };
}
