import { bytesOf } from '../../trace/probe-file';
import { fill, type ProbeBody } from './body';
import { probeUnsupported } from '../../ptx/lexer';
import { registerType, type Guard, type Scope } from '../../ptx/module';
import type { Plan, PlannedMap } from './plan';

/** Context of emitted code: a kernel has its maps in registers; a function reads them from its caller's frame. */
export interface Place {
  readonly plan: Plan;
  readonly isEntry: boolean;
  /** Maps whose base is loaded into a register in the prologue: those that probes at instructions save to. */
  readonly early: ReadonlySet<PlannedMap>;
}

export const frameRegister = ({ prefix }: Plan): string => `%${prefix}frame`;
export const isOfWarps = ({ map }: PlannedMap): boolean => map.level === 'warp';

/** Generates names that the text does not contain. */
export class Names {
  private made = 0;
  constructor(private readonly prefix: string) {}
  register(): string {
    return `%${this.prefix}t${this.made++}`;
  }
}

/** Computes the 64-bit index of this thread or warp in the grid. */
function unitCode(level: 'thread' | 'warp', into: string, names: Names): string[] {
  const [tid, threads, size, at, z, block] = Array.from({ length: 6 }, () => names.register());
  const [row, gridRow] = [names.register(), names.register()];
  const units = level === 'thread' ? [] : [`add.u32 ${threads}, ${threads}, 31;`, `shr.u32 ${threads}, ${threads}, 5;`];
  return [
    `.reg .b32 ${tid}, ${threads}, ${size}, ${at}, ${z}; .reg .b64 ${block}, ${row}, ${gridRow};`,
    ...threadCode(tid ?? '', threads ?? '', [size ?? '', at ?? '', z ?? '']),
    `mov.u32 ${size}, %nctaid.y; mov.u32 ${z}, %ctaid.z; mov.u32 ${at}, %ctaid.y;`,
    `cvt.u64.u32 ${row}, ${at}; mad.wide.u32 ${row}, ${size}, ${z}, ${row};`,
    `mov.u32 ${size}, %nctaid.x; mov.u32 ${at}, %ctaid.x;`,
    `cvt.u64.u32 ${gridRow}, ${size}; cvt.u64.u32 ${block}, ${at}; mad.lo.u64 ${block}, ${row}, ${gridRow}, ${block};`,
    ...units,
    ...(level === 'thread' ? [] : [`shr.u32 ${tid}, ${tid}, 5;`]),
    `cvt.u64.u32 ${row}, ${threads}; cvt.u64.u32 ${gridRow}, ${tid}; mad.lo.u64 ${into}, ${block}, ${row}, ${gridRow};`,
  ];
}

function threadCode(tid: string, threads: string, [size = '', at = '', z = '']: readonly string[]): string[] {
  return [
    `mov.u32 ${size}, %ntid.y; mov.u32 ${z}, %tid.z; mov.u32 ${at}, %tid.y; mad.lo.u32 ${at}, ${size}, ${z}, ${at};`,
    `mov.u32 ${threads}, %ntid.x; mov.u32 ${z}, %tid.x; mad.lo.u32 ${tid}, ${threads}, ${at}, ${z};`,
    `mul.lo.u32 ${threads}, ${threads}, ${size}; mov.u32 ${z}, %ntid.z; mul.lo.u32 ${threads}, ${threads}, ${z};`,
  ];
}

/** Number of lanes that the warp of this thread started with. */
export function lanesCode(into: string, names: Names): string[] {
  const [tid, threads, size, at, z] = Array.from({ length: 5 }, () => names.register());
  return [
    `.reg .b32 ${tid}, ${threads}, ${size}, ${at}, ${z};`,
    ...threadCode(tid ?? '', threads ?? '', [size ?? '', at ?? '', z ?? '']),
    `and.b32 ${tid}, ${tid}, -32; sub.u32 ${into}, ${threads}, ${tid}; min.u32 ${into}, ${into}, 32;`,
  ];
}

/** Address of the first record of this thread or warp. */
export function baseCode(map: PlannedMap, into: string, names: Names): string[] {
  const [unit, address] = [names.register(), names.register()];
  const code = [
    `.reg .b64 ${unit}, ${address};`,
    ...unitCode(map.map.level, unit, names),
    `ld.param.u64 ${address}, [${map.recordsParameter}]; cvta.to.global.u64 ${address}, ${address};`,
  ];
  if (map.unitBytes !== null) return [...code, `mad.lo.u64 ${into}, ${unit}, ${map.unitBytes}, ${address};`];
  const [capacity, bytes] = [names.register(), names.register()];
  return [
    ...code,
    `.reg .b32 ${capacity}; .reg .b64 ${bytes};`,
    `ld.param.u32 ${capacity}, [${map.capacityParameter}]; mul.wide.u32 ${bytes}, ${capacity}, ${map.recordBytes};`,
    `mad.lo.u64 ${into}, ${unit}, ${bytes}, ${address};`,
  ];
}

export const counterBytes = (map: PlannedMap): number => (isOfWarps(map) ? 8 : 4);

export function addressCode(
  parameter: string,
  level: 'thread' | 'warp',
  bytes: number,
  into: string,
  names: Names,
): string[] {
  const [unit, address] = [names.register(), names.register()];
  return [
    `.reg .b64 ${unit}, ${address};`,
    ...unitCode(level, unit, names),
    `ld.param.u64 ${address}, [${parameter}]; cvta.to.global.u64 ${address}, ${address};`,
    `mad.lo.u64 ${into}, ${unit}, ${bytes}, ${address};`,
  ];
}

export interface BodyContext {
  readonly place: Place;
  readonly probe: string;
  readonly names: Names;
  /** Scope of the instruction, which types its registers; the body's declarations are added. */
  readonly scope: Scope;
  /** Values of OUT, IN1, ADDR and BYTES. */
  readonly values: ReadonlyMap<string, string>;
  /** Predicate under which the body executes. */
  readonly guard: Guard | null;
  /**
   * Lane that acts for its warp in a warp-level probe. Registers are per lane, so every lane counts and any may be the
   * leader; only the leader writes to memory.
   */
  readonly leader?: Guard;
}

const guardText = (guard: Guard | null): string => (guard ? `@${operandOf(guard)} ` : '');
const operandOf = ({ register, negated }: Guard): string => `${negated ? '!' : ''}${register}`;

export function bodyCode(body: ProbeBody, context: BodyContext): string[] {
  const scope: Scope = { parent: context.scope, registers: [...body.registers] };
  const { values, names } = context;
  const once = context.leader ?? context.guard;
  return body.statements.flatMap((statement) => {
    if (statement.kind === 'verbatim') return [statement.text];
    if (statement.kind === 'save')
      return saveCode(statement.map.name, statement.items, { ...context, scope, guard: once });
    const text = fill(statement.text, values);
    const guard = writesMemory.test(text) ? once : context.guard;
    if (statement.guard === null) return [`${guardText(guard)}${text}`];
    if (guard === null) return [`${guardText(statement.guard)}${text}`];
    const [own, both] = [names.register(), names.register()];
    return [
      `{ .reg .pred ${own}, ${both};`,
      asPredicate(statement.guard, own),
      asPredicate(guard, both),
      `and.pred ${both}, ${both}, ${own}; @${both} ${text} }`,
    ];
  });
}

const writesMemory = /^(st|atom|red|cp|multimem|prefetch\w*|discard|applypriority)\./;

function asPredicate({ register, negated }: Guard, into: string): string {
  return `${negated ? 'not' : 'mov'}.pred ${into}, ${register};`;
}

function saveCode(name: string, items: readonly string[], context: BodyContext): string[] {
  const { place, names, guard } = context;
  const map = place.plan.maps.find((one) => one.map.name === name);
  if (!map) throw new Error(`the map ${name} has no plan`);
  const [inside, at, next] = [names.register(), names.register(), names.register()];
  const { setup, base, counts, capacity } = placeOf(map, place, names);
  const values = valuesCode(map, items, context);
  const and = guard ? `, ${operandOf(guard)}` : '';
  const lead = guardText(guard);
  const find = isOfWarps(map)
    ? [
        `${lead}atom.global.add.u64 ${next}, [${counts}], 1;`,
        ...wideCapacity(capacity, at),
        `setp.lt.${guard ? 'and.' : ''}u64 ${inside}, ${next}, ${at}${and};`,
        `mad.lo.u64 ${at}, ${next}, ${map.recordBytes}, ${base};`,
      ]
    : [
        `setp.lt.${guard ? 'and.' : ''}u32 ${inside}, ${map.count}, ${capacity}${and};`,
        `mad.wide.u32 ${at}, ${map.count}, ${map.recordBytes}, ${base};`,
      ];
  const counted = isOfWarps(map)
    ? []
    : [
        // The max keeps the count from wrapping to 0.
        `{ .reg .b32 ${next}; ${lead}add.u32 ${next}, ${map.count}, 1; ${lead}max.u32 ${map.count}, ${map.count}, ${next}; }`,
      ];
  return [
    `{ // SAVE [${name}]`,
    `.reg .pred ${inside}; .reg .b64 ${at};${isOfWarps(map) ? ` .reg .b64 ${next};` : ''}`,
    ...setup,
    ...values.code,
    ...find,
    ...storesCode(map, values.registers, inside, at),
    ...counted,
    '}',
  ];
}

function wideCapacity(capacity: string, into: string): string[] {
  return [/^\d/.test(capacity) ? `mov.u64 ${into}, ${capacity};` : `cvt.u64.u32 ${into}, ${capacity};`];
}

/** Finds the map's addresses: in registers or parameters in a kernel, in the frame in a function. */
function placeOf(
  map: PlannedMap,
  { plan, isEntry, early }: Place,
  names: Names,
): { setup: string[]; base: string; counts: string; capacity: string } {
  const capacity = map.records === null ? names.register() : String(map.records);
  if (isEntry) {
    const setup =
      map.records === null ? [`.reg .b32 ${capacity}; ld.param.u32 ${capacity}, [${map.capacityParameter}];`] : [];
    if (early.has(map)) return { setup, base: map.base, counts: map.counts, capacity };
    const [base, counts] = [names.register(), names.register()];
    setup.push(`.reg .b64 ${base}, ${counts};`, '{', ...baseCode(map, base, names), '}');
    if (isOfWarps(map)) setup.push('{', ...addressCode(map.countsParameter, 'warp', 8, counts, names), '}');
    return { setup, base, counts, capacity };
  }
  const [base, counts] = [names.register(), names.register()];
  const frame = frameRegister(plan);
  const setup = [
    `.reg .b64 ${base}, ${counts};`,
    `ld.local.u64 ${base}, [${frame}+${map.frameOffset}]; ld.local.u64 ${counts}, [${frame}+${map.frameOffset + 8}];`,
    ...(map.records === null
      ? [`.reg .b32 ${capacity}; ld.local.u32 ${capacity}, [${frame}+${map.frameOffset + 16}];`]
      : []),
  ];
  return { setup, base, counts, capacity };
}

/** Widens each item to 64 or 32 bits. */
function valuesCode(
  map: PlannedMap,
  items: readonly string[],
  { names, values, scope, probe }: BodyContext,
): { code: string[]; registers: string[] } {
  const code: string[] = [];
  const registers = items.map((item, index) => {
    const field = map.map.fields[index];
    const bits = field?.type === 'u32' ? 32 : 64;
    const text = fill(item, values);
    const into = names.register();
    const of = widthOf(text, scope);
    if (of === null)
      throw probeUnsupported(
        `probe ${probe}: SAVE [${map.map.name}] cannot keep ${text} in ${field?.name ?? ''}`,
        'save registers of 16, 32 or 64 bits, and numbers',
      );
    const convert = of === bits ? `mov.b${bits}` : `cvt.u${bits}.u${of}`;
    code.push(`.reg .b${bits} ${into}; ${of === 0 ? `mov.u${bits}` : convert} ${into}, ${text};`);
    return into;
  });
  return { code, registers };
}

/** Returns 0 for a number, which fits both widths. */
function widthOf(text: string, scope: Scope): number | null {
  if (/^-?\d/.test(text)) return 0;
  if (/^%NR\d+$/.test(text)) return 64;
  if (special64.has(text)) return 64;
  const type = registerType(text, scope);
  if (type === null) return isSpecial(text) ? 32 : null;
  const bits = Number(/^[busf](16|32|64)$/.exec(type)?.[1] ?? Number.NaN);
  return Number.isNaN(bits) ? null : bits;
}

const special64: ReadonlySet<string> = new Set(['%clock64', '%globaltimer', '%gridid', '%current_graph_exec']);
const isSpecial = (text: string): boolean =>
  /^%(tid|ntid|ctaid|nctaid|clusterid|nclusterid|cluster_ctaid|cluster_nctaid)\.[xyz]$/.test(text) ||
  /^%(laneid|warpid|nwarpid|smid|nsmid|clock|clock_hi|globaltimer_lo|globaltimer_hi|lanemask_(eq|le|lt|ge|gt)|dynamic_smem_size|total_smem_size|cluster_ctarank|cluster_nctarank)$/.test(
    text,
  );

/** Writes 8-byte fields, then 4-byte ones, as Neutrino's probes do; vector stores need aligned records. */
function storesCode(map: PlannedMap, registers: readonly string[], inside: string, at: string): string[] {
  const aligned = map.recordBytes % 16 === 0 && (map.unitBytes ?? 16) % 16 === 0;
  const code: string[] = [];
  let offset = 0;
  for (const type of ['u64', 'u32'] as const) {
    const left = registers.filter((_, index) => map.map.fields[index]?.type === type);
    while (left.length > 0) {
      const widest = type === 'u32' ? (aligned && offset % 16 === 0 ? 4 : 2) : aligned && offset % 16 === 0 ? 2 : 1;
      const taken = left.splice(0, left.length >= widest ? widest : type === 'u32' ? 2 : 1);
      const list = taken.length === 1 ? taken[0] : `{${taken.join(', ')}}`;
      const vector = taken.length === 1 ? '' : `v${taken.length}.`;
      code.push(`@${inside} st.global.${vector}${type} [${at}+${offset}], ${list};`);
      offset += taken.length * bytesOf(type);
    }
  }
  return code;
}
