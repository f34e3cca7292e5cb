import { Cursor, debugSections, escapedLength, lineUnits, Malformed, orNothing } from './debug-line';
import type { LineTable, SourcePlace } from './line-table';

/** Calls whose code the compiler put in their place. */
export interface InlinedCalls {
  /** Those that an instruction belongs to, the innermost first. */
  at(address: number): readonly SourcePlace[];
}

/**
 * Reads the inlined calls of a code object (DWARF 4 and 5, section 3.3.8): an instruction of `atomicAdd` has a line of
 * HIP's header, and its call the line of the kernel. Reading stops at a malformed unit without an error.
 */
export function readInlinedCalls(elf: Buffer): InlinedCalls {
  const named = debugSections(elf);
  const debug: Sections = {
    info: named('.debug_info'),
    abbreviations: named('.debug_abbrev'),
    ranges: named('.debug_ranges'),
    rangeLists: named('.debug_rnglists'),
    addresses: named('.debug_addr'),
    files: new Map([...lineUnits(elf)].map(({ offset, files }) => [offset, files])),
  };
  const calls: Call[] = [];
  for (let start = 0; start < debug.info.length;) {
    const end = orNothing(() => {
      const bytes = new Cursor(debug.info, start).unsigned(4);
      if (bytes >= escapedLength) throw new Malformed('64-bit DWARF');
      readUnit(new Cursor(debug.info.subarray(start + 4, start + 4 + bytes)), debug, calls);
      return start + 4 + bytes;
    });
    if (end === undefined) break;
    start = end;
  }
  const stretches = stretchesOf(calls);
  return {
    at: (address) => {
      let [low, high] = [0, stretches.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((stretches[middle]?.start ?? 0) <= address) low = middle + 1;
        else high = middle;
      }
      return stretches[low - 1]?.calls ?? [];
    },
  };
}

/** The place of an instruction, and those of the calls around it, the innermost first. */
export const placesAt = (table: LineTable | null, calls: InlinedCalls, address: number): SourcePlace[] =>
  [table?.at(address) ?? [], ...calls.at(address)].flat();

interface Sections {
  readonly info: Buffer;
  readonly abbreviations: Buffer;
  readonly ranges: Buffer;
  readonly rangeLists: Buffer;
  readonly addresses: Buffer;
  /** Files of each unit of `.debug_line`, by its offset. */
  readonly files: ReadonlyMap<number, readonly string[]>;
}

interface Call {
  readonly place: SourcePlace;
  readonly depth: number;
  readonly ranges: readonly Range[];
}

type Range = readonly [start: number, end: number];

/** Code from this address on, up to the next stretch. */
interface Stretch {
  readonly start: number;
  readonly calls: readonly SourcePlace[];
}

/** Limits for hostile files: a few bytes can make an entry, a call or a range. */
const most = { entries: 1 << 24, calls: 1 << 17, ranges: 1 << 20, depth: 512 } as const;

/** Ranges of inlined calls lie within those of the calls around them. */
function stretchesOf(calls: readonly Call[]): Stretch[] {
  const changes = calls.flatMap((call) =>
    call.ranges.flatMap(([start, end]) => [
      { address: start, call, begins: true },
      { address: end, call, begins: false },
    ]),
  );
  changes.sort((a, b) => a.address - b.address);
  const active = new Map<Call, number>();
  const stretches: Stretch[] = [];
  changes.forEach(({ address, call, begins }, index) => {
    active.set(call, (active.get(call) ?? 0) + (begins ? 1 : -1));
    if (active.get(call) === 0) active.delete(call);
    if (changes[index + 1]?.address === address) return;
    const inside = active.size > most.depth ? [] : [...active.keys()].sort((a, b) => b.depth - a.depth);
    stretches.push({ start: address, calls: inside.map(({ place }) => place) });
  });
  return stretches;
}

/** Numbers of DWARF 5, tables 7.3 and 7.5. */
const tags = { compileUnit: 0x11, inlinedSubroutine: 0x1d } as const;
const attributes = {
  ...{ statements: 0x10, low: 0x11, high: 0x12, ranges: 0x55, callColumn: 0x57, callFile: 0x58, callLine: 0x59 },
  ...{ addressBase: 0x73, rangeListBase: 0x74 },
} as const;

interface Abbreviation {
  readonly tag: number;
  readonly hasChildren: boolean;
  readonly fields: readonly { attribute: number; form: number; constant: number }[];
}

interface Unit {
  readonly version: number;
  readonly debug: Sections;
  low: number;
  addressBase: number;
  rangeListBase: number;
  files: readonly string[];
}

/** Appends the inlined calls of one unit. */
function readUnit(cursor: Cursor, debug: Sections, calls: Call[]): void {
  const version = cursor.unsigned(2);
  if (version !== 4 && version !== 5) return;
  const type = version === 5 ? cursor.unsigned(1) : 1;
  const addressBytes = version === 5 ? cursor.unsigned(1) : 8;
  const abbreviations = abbreviationsAt(new Cursor(debug.abbreviations).from(cursor.unsigned(4)));
  if (version === 4 && cursor.unsigned(1) !== 8) return;
  if (type !== 1 || addressBytes !== 8) return;
  const unit: Unit = { version, debug, low: 0, addressBase: 0, rangeListBase: 0, files: [] };
  let depth = 0;
  for (let entries = 0; !cursor.isAtEnd; entries += 1) {
    if (entries > most.entries) throw new Malformed('more entries than any source gives');
    const code = cursor.leb();
    if (code === 0) {
      depth -= 1;
      if (depth <= 0) return;
      continue;
    }
    const abbreviation = abbreviations.get(code);
    if (abbreviation === undefined) throw new Malformed('an abbreviation that is not declared');
    const values = new Map<number, Value>();
    for (const { attribute, form, constant } of abbreviation.fields)
      values.set(attribute, valueOf(cursor, form === forms.indirect ? cursor.leb() : form, constant));
    if (abbreviation.tag === tags.compileUnit) beginUnit(unit, values);
    if (abbreviation.tag === tags.inlinedSubroutine) {
      if (calls.length >= most.calls) throw new Malformed('more calls than any source has');
      calls.push({ place: placeOf(unit, values), depth, ranges: rangesOf(unit, values) });
    }
    if (abbreviation.hasChildren) depth += 1;
    else if (depth === 0) return;
  }
}

function abbreviationsAt(cursor: Cursor): Map<number, Abbreviation> {
  const found = new Map<number, Abbreviation>();
  for (let code = cursor.leb(); code !== 0; code = cursor.leb()) {
    const [tag, hasChildren] = [cursor.leb(), cursor.unsigned(1) !== 0];
    const fields: { attribute: number; form: number; constant: number }[] = [];
    for (;;) {
      const [attribute, form] = [cursor.leb(), cursor.leb()];
      const constant = form === forms.implicitConstant ? cursor.signedLeb() : 0;
      if (attribute === 0 && form === 0) break;
      fields.push({ attribute, form, constant });
    }
    found.set(code, { tag, hasChildren, fields });
  }
  return found;
}

function beginUnit(unit: Unit, values: ReadonlyMap<number, Value>): void {
  const number = (attribute: number): number => values.get(attribute)?.number ?? 0;
  unit.addressBase = number(attributes.addressBase);
  unit.rangeListBase = number(attributes.rangeListBase);
  unit.files = unit.debug.files.get(number(attributes.statements)) ?? [];
  unit.low = addressOf(unit, values.get(attributes.low));
}

const placeOf = ({ files }: Unit, values: ReadonlyMap<number, Value>): SourcePlace => ({
  file: files[values.get(attributes.callFile)?.number ?? -1] ?? '',
  line: values.get(attributes.callLine)?.number ?? 0,
  column: values.get(attributes.callColumn)?.number ?? 0,
});

function rangesOf(unit: Unit, values: ReadonlyMap<number, Value>): Range[] {
  const listed = values.get(attributes.ranges);
  if (listed) return unit.version === 5 ? rangeList(unit, listed) : olderRanges(unit, listed.number);
  const [low, high] = [values.get(attributes.low), values.get(attributes.high)];
  if (!low || !high) return [];
  const start = addressOf(unit, low);
  return [[start, high.kind === 'number' ? start + high.number : addressOf(unit, high)]];
}

/** DWARF 5, section 2.17.3. */
function rangeList(unit: Unit, { kind, number }: Value): Range[] {
  const { debug, rangeListBase } = unit;
  const lists = new Cursor(debug.rangeLists);
  const offset = kind === 'index' ? rangeListBase + lists.from(rangeListBase + 4 * number).unsigned(4) : number;
  const cursor = lists.from(offset);
  const ranges: Range[] = [];
  for (let base = unit.low; ranges.length < most.ranges;) {
    const entry = cursor.unsigned(1);
    const indexed = (): number => indexedAddress(unit, cursor.leb());
    if (entry === 0) return ranges;
    else if (entry === 1) base = indexed();
    else if (entry === 2) ranges.push([indexed(), indexed()]);
    else if (entry === 3) ranges.push(lengthened(indexed(), cursor.leb()));
    else if (entry === 4) ranges.push([base + cursor.leb(), base + cursor.leb()]);
    else if (entry === 5) base = cursor.address();
    else if (entry === 6) ranges.push([cursor.address(), cursor.address()]);
    else if (entry === 7) ranges.push(lengthened(cursor.address(), cursor.leb()));
    else throw new Malformed(`an entry ${entry} of a list of ranges`);
  }
  throw new Malformed('more ranges than any source gives');
}

const lengthened = (start: number, length: number): Range => [start, start + length];

/** DWARF 4, section 2.17.3: pairs of addresses, ended by two zeros. An entry of all ones selects a base. */
function olderRanges({ debug, low }: Unit, offset: number): Range[] {
  const cursor = new Cursor(debug.ranges).from(offset);
  const ranges: Range[] = [];
  for (let base = low; ranges.length < most.ranges;) {
    const [first, second] = [cursor.unsigned(4), cursor.unsigned(4)];
    const end = cursor.address();
    if (first === 0xffffffff && second === 0xffffffff) base = end;
    else if (first === 0 && second === 0 && end === 0) return ranges;
    else ranges.push([base + second * 2 ** 32 + first, base + end]);
  }
  throw new Malformed('more ranges than any source gives');
}

const addressOf = (unit: Unit, value: Value | undefined): number =>
  value?.kind === 'index' ? indexedAddress(unit, value.number) : (value?.number ?? 0);

const indexedAddress = ({ debug, addressBase }: Unit, index: number): number =>
  new Cursor(debug.addresses).from(addressBase + 8 * index).address();

/** `index`: into a table of addresses or of lists, by the attribute. */
interface Value {
  readonly kind: 'number' | 'address' | 'index';
  readonly number: number;
}

const forms = { indirect: 0x16, implicitConstant: 0x21 } as const;

/** Reads a form (DWARF 5, table 7.6). The numbers of strings, blocks and references are of no use here. */
function valueOf(cursor: Cursor, form: number, constant: number): Value {
  const number = (value: number): Value => ({ kind: 'number', number: value });
  const index = (value: number): Value => ({ kind: 'index', number: value });
  const skipped = (bytes: number): Value => {
    cursor.skip(bytes);
    return number(0);
  };
  switch (form) {
    case 0x01: // addr
      return { kind: 'address', number: cursor.address() };
    case 0x0b: // data1
    case 0x0c: // flag
    case 0x11: // ref1
    case 0x25: // strx1
      return number(cursor.unsigned(1));
    case 0x05: // data2
    case 0x12: // ref2
    case 0x26: // strx2
      return number(cursor.unsigned(2));
    case 0x27: // strx3
      return number(cursor.unsigned(3));
    case 0x06: // data4
    case 0x0e: // strp
    case 0x10: // ref_addr
    case 0x13: // ref4
    case 0x17: // sec_offset
    case 0x1c: // ref_sup4
    case 0x1d: // strp_sup
    case 0x1f: // line_strp
    case 0x28: // strx4
      return number(cursor.unsigned(4));
    case 0x07: // data8
    case 0x14: // ref8
    case 0x20: // ref_sig8
    case 0x24: // ref_sup8
      return skipped(8);
    case 0x1e: // data16
      return skipped(16);
    case 0x08: // string
      cursor.text();
      return number(0);
    case 0x0a: // block1
      return skipped(cursor.unsigned(1));
    case 0x03: // block2
      return skipped(cursor.unsigned(2));
    case 0x04: // block4
      return skipped(cursor.unsigned(4));
    case 0x09: // block
    case 0x18: // exprloc
      return skipped(cursor.leb());
    case 0x0d: // sdata
      return number(cursor.signedLeb());
    case 0x0f: // udata
    case 0x15: // ref_udata
    case 0x1a: // strx
    case 0x22: // loclistx
      return number(cursor.leb());
    case 0x1b: // addrx
    case 0x23: // rnglistx
      return index(cursor.leb());
    case 0x29: // addrx1
      return index(cursor.unsigned(1));
    case 0x2a: // addrx2
      return index(cursor.unsigned(2));
    case 0x2b: // addrx3
      return index(cursor.unsigned(3));
    case 0x2c: // addrx4
      return index(cursor.unsigned(4));
    case 0x19: // flag_present
      return number(1);
    case forms.implicitConstant:
      return number(constant);
    default:
      throw new Malformed(`form ${form}`);
  }
}
