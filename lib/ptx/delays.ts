import { globalOf, isDelayed, type GlobalAccess } from './accesses';
import { delaySites } from './delay-sites';
import { Edits } from './edits';
import { addParameters, freePrefix, kernelAlone, limitRegisters } from './kernel-edits';
import { probeUnsupported } from './lexer';
import { makeLate, overtakenStores } from './late-stores';
import { readModule, type Instruction, type PtxModule } from './module';

/** An instruction that may be delayed. */
export interface DelaySite {
  /**
   * Line of the instruction, then the line of the call if it is in an inlined function. Empty without line information.
   */
  readonly places: readonly { readonly file: string; readonly line: number }[];
  readonly instruction: string;
  /** An access visible to other blocks; `store` includes atomics. Null for shared memory, constants and barriers. */
  readonly global: GlobalAccess;
  /** Number of the first store that this access may overtake, because nothing orders them. Null if there is none. */
  readonly overtakes: number | null;
}

export interface DelayedPtx {
  readonly ptx: string;
  /** Sites by number. The kernel has more u32 parameters after its own: `delayParameters`. */
  readonly sites: readonly DelaySite[];
  /** Accesses and barriers in functions that are not inlined, which get no delay. */
  readonly left: number;
}

/** Delays of one launch; sites by number. */
export interface DelayLaunch {
  /** Decides which warps wait at random, and which half each block belongs to. */
  readonly seed: number;
  /** First site at which warps wait at random, and the number of such sites. */
  readonly first: number;
  readonly count: number;
  /** A site at which every warp waits, for longer than any delay. */
  readonly hold?: number;
  /**
   * A global site at which half of the blocks wait, and which half. `late`: stores that it may overtake are made after
   * it.
   */
  readonly half?: { readonly site: number; readonly side: 0 | 1; readonly late?: boolean };
}

const parameterNames = ['seed', 'first', 'count', 'hold', 'half', 'side', 'late'] as const;
const noSite = 0xffff_ffff;

/** Values of the parameters after the kernel's own, in order. */
export function delayParameters({ seed, first, count, hold = noSite, half }: DelayLaunch): number[] {
  const at = half?.site ?? noSite;
  const waits = half?.late ? { half: noSite, late: at } : { half: at, late: noSite };
  const values = { seed, first, count, hold, ...waits, side: half?.side ?? 0 };
  return parameterNames.map((name) => values[name]);
}

/**
 * Puts a delay before the accesses to global and shared memory and before the barriers of a kernel. Launch parameters
 * decide which warps wait where: one compilation serves every launch, and a failure is reduced without another. The
 * rest of the kernel stays unchanged, except that stores which nothing orders before an atomic or a flag may be made
 * after it.
 */
export function delayPtx(given: string, kernel: string, blockThreads: number | null = null): DelayedPtx {
  const module = kernelAlone(readModule(given), kernel);
  refuse(module);
  const { text } = module;
  const entry = module.functions.find(({ isEntry, name, body }) => isEntry && name === kernel && body !== null);
  if (!entry?.body) throw probeUnsupported(`the PTX has no kernel ${kernel}`, 'name the PTX of the captured kernel');
  const overtaken = overtakenStores(text, entry.body.instructions);
  const paired = new Set(overtaken.flatMap(({ stores, by }) => [...stores, by]));
  const instructions = delaySites(text, entry.body.instructions, paired);
  const edits = new Edits();
  const prefix = `${freePrefix(text)}delay_`;
  edits.insert(entry.body.start, prologue(prefix));
  const sites = new Map(instructions.map((instruction, index) => [instruction, index]));
  const siteOf = (instruction: Instruction): number => sites.get(instruction) ?? noSite;
  for (const pair of overtaken) makeLate(text, pair, siteOf(pair.by), { prefix, nanoseconds: held.half }, edits);
  for (const [index, instruction] of instructions.entries())
    edits.insert(instruction.start, delay(prefix, index, globalOf(instruction) !== null));
  for (const { start, end } of overtaken.flatMap(({ stores }) => stores)) edits.replace(start, end, '');
  addParameters(
    entry,
    parameterNames.map((name) => `.param .u32 ${prefix}${name}`),
    edits,
  );
  if (blockThreads !== null) limitRegisters(text, entry, blockThreads, edits);
  const places = placesOf(text);
  const overtakes = new Map(overtaken.map(({ stores: [first], by }) => [siteOf(by), first ? siteOf(first) : null]));
  return {
    ptx: edits.apply(text),
    sites: instructions.map((instruction, index) => ({
      places: places(instruction.start),
      instruction: text.slice(instruction.head, instruction.end).replaceAll(/\s+/g, ' ').slice(0, 200),
      global: globalOf(instruction),
      overtakes: overtakes.get(index) ?? null,
    })),
    left: module.functions
      .filter(({ isEntry }) => !isEntry)
      .reduce((sum, { body }) => sum + (body?.instructions.filter(isDelayed).length ?? 0), 0),
  };
}

function refuse({ target, version, addressSize }: PtxModule): void {
  const architecture = Number(/^sm_(\d+)/.exec(target)?.[1] ?? 0);
  if (architecture < 70)
    throw probeUnsupported(`the PTX is for ${target}, which has no nanosleep`, 'compile it for sm_70 or newer');
  if (version < 603)
    throw probeUnsupported(
      'the PTX is older than version 6.3, which has nanosleep',
      'compile it with CUDA 10 or newer',
    );
  if (addressSize !== 64) throw probeUnsupported('the PTX has addresses of 32 bits', 'compile it for 64 bits');
}

/** lowbias32 of Chris Wellons' hash prospector: every input bit changes half of the output bits. */
const mix = (register: string, scratch: string): string[] =>
  [
    [16, 0x7feb352d],
    [15, 0x846ca68b],
    [16, null],
  ].flatMap(([shift, factor]) => [
    `shr.u32 ${scratch}, ${register}, ${shift}; xor.b32 ${register}, ${register}, ${scratch};`,
    ...(factor === null ? [] : [`mul.lo.u32 ${register}, ${register}, ${factor};`]),
  ]);

/**
 * Maximum sleep in nanoseconds of a thread in a slow warp, and of one in any other warp: the cost of a launch stays
 * bounded.
 */
const budget = { slow: 100_000, usual: 8_000 };

/**
 * Sleep in nanoseconds, done twice, at a site that holds all warps and at one that holds half of the blocks;
 * `mostHolds` limits how often a warp is held in a loop. `all` is longer than `half`, and `half` is longer than any
 * delay.
 */
const held = { all: 100_000, half: 20_000 };
const mostHolds = { all: 100, half: 4 };
/** Blocks that a site may hold: a chain of blocks of any length that wait for each other takes at most a second. */
const mostHeldBlocks = 1024;

/**
 * The initial state is the same in all lanes of a warp. One warp in four is slow, and so are all warps of one block in
 * eight: a slow warp sleeps at every second site, others at one in 32.
 */
function prologue(prefix: string): string {
  const r = `%${prefix}`;
  return block([
    `.reg .b32 ${r}state, ${r}left, ${r}often, ${r}passes, ${r}first, ${r}count, ${r}hold, ${r}holds, ${r}half, ${r}halves, ${r}late; .reg .pred ${r}is_late;`,
    '{',
    `.reg .b32 ${r}a, ${r}b, ${r}c, ${r}seed; .reg .pred ${r}p;`,
    `ld.param.u32 ${r}seed, [${prefix}seed]; ld.param.u32 ${r}first, [${prefix}first]; ld.param.u32 ${r}count, [${prefix}count]; ld.param.u32 ${r}hold, [${prefix}hold]; mov.u32 ${r}holds, ${mostHolds.all};`,
    `ld.param.u32 ${r}half, [${prefix}half]; ld.param.u32 ${r}late, [${prefix}late]; mov.u32 ${r}halves, ${mostHolds.half};`,
    // Linear index of the block.
    `mov.u32 ${r}a, %ctaid.z; mov.u32 ${r}b, %nctaid.y; mov.u32 ${r}c, %ctaid.y; mad.lo.u32 ${r}a, ${r}a, ${r}b, ${r}c;`,
    `mov.u32 ${r}b, %nctaid.x; mov.u32 ${r}c, %ctaid.x; mad.lo.u32 ${r}a, ${r}a, ${r}b, ${r}c;`,
    // Only the last blocks are held: those still running when a kernel ends.
    `mov.u32 ${r}b, %nctaid.x; mov.u32 ${r}c, %nctaid.y; mul.lo.u32 ${r}b, ${r}b, ${r}c; mov.u32 ${r}c, %nctaid.z; mul.lo.u32 ${r}b, ${r}b, ${r}c;`,
    `sub.u32 ${r}b, ${r}b, ${r}a; setp.gt.u32 ${r}p, ${r}b, ${mostHeldBlocks}; selp.u32 ${r}half, ${noSite}, ${r}half, ${r}p; selp.u32 ${r}late, ${noSite}, ${r}late, ${r}p;`,
    `mad.lo.u32 ${r}a, ${r}a, ${0x9e3779b1}, ${r}seed;`,
    ...mix(`${r}a`, `${r}b`),
    `ld.param.u32 ${r}c, [${prefix}side]; shr.u32 ${r}b, ${r}a, 3; xor.b32 ${r}b, ${r}b, ${r}c; and.b32 ${r}b, ${r}b, 1; setp.ne.u32 ${r}p, ${r}b, 0; selp.u32 ${r}half, ${noSite}, ${r}half, ${r}p; selp.u32 ${r}late, ${noSite}, ${r}late, ${r}p;`,
    // Linear index of the warp in its block.
    `mov.u32 ${r}state, %tid.z; mov.u32 ${r}b, %ntid.y; mov.u32 ${r}c, %tid.y; mad.lo.u32 ${r}state, ${r}state, ${r}b, ${r}c;`,
    `mov.u32 ${r}b, %ntid.x; mov.u32 ${r}c, %tid.x; mad.lo.u32 ${r}state, ${r}state, ${r}b, ${r}c;`,
    `shr.u32 ${r}state, ${r}state, 5; mad.lo.u32 ${r}state, ${r}state, ${0x85ebca6b}, ${r}a;`,
    ...mix(`${r}state`, `${r}b`),
    `and.b32 ${r}b, ${r}state, 3; and.b32 ${r}c, ${r}a, 7; min.u32 ${r}b, ${r}b, ${r}c; setp.eq.u32 ${r}p, ${r}b, 0;`,
    `selp.u32 ${r}often, 128, 8, ${r}p; selp.u32 ${r}left, ${budget.slow}, ${budget.usual}, ${r}p;`,
    // Up to 0, 7, 63 or 511 sites, depending on the seed, are passed before the first sleep: otherwise the first loop
    // spends all sleep, and the last accesses of a kernel (a ticket, a flag) are never late.
    `sub.u32 ${r}b, ${r}seed, 1; and.b32 ${r}b, ${r}b, 3; mul.lo.u32 ${r}b, ${r}b, 3; mov.u32 ${r}c, 1; shl.b32 ${r}c, ${r}c, ${r}b; sub.u32 ${r}c, ${r}c, 1;`,
    `shr.u32 ${r}passes, ${r}state, 8; and.b32 ${r}passes, ${r}passes, ${r}c;`,
    '}',
  ]);
}

/**
 * The state advances at every site, enabled or not, so that enabling one changes nothing for the others. The sleep has
 * a predicate and no branch, so lanes that run together stay together.
 */
function delay(prefix: string, index: number, isGlobal: boolean): string {
  const r = `%${prefix}`;
  return block([
    '{',
    `.reg .b32 ${r}a, ${r}b; .reg .pred ${r}p;`,
    `mad.lo.u32 ${r}state, ${r}state, 1664525, ${((index * 2 + 1) * 1013904223) % 2 ** 32};`,
    `shr.u32 ${r}a, ${r}state, 24; sub.u32 ${r}b, ${index}, ${r}first;`,
    `setp.lt.u32 ${r}p, ${r}a, ${r}often; setp.lt.and.u32 ${r}p, ${r}b, ${r}count, ${r}p;`,
    // 512 to 8191 nanoseconds.
    `shr.u32 ${r}a, ${r}state, 11; and.b32 ${r}a, ${r}a, 7679; add.u32 ${r}a, ${r}a, 512;`,
    `setp.lt.and.u32 ${r}p, ${r}a, ${r}left, ${r}p; setp.eq.and.u32 ${r}p, ${r}passes, 0, ${r}p;`,
    `min.u32 ${r}b, ${r}passes, 1; sub.u32 ${r}passes, ${r}passes, ${r}b;`,
    `@${r}p sub.u32 ${r}left, ${r}left, ${r}a;`,
    `@${r}p nanosleep.u32 ${r}a;`,
    `setp.eq.u32 ${r}p, ${r}hold, ${index}; setp.gt.and.u32 ${r}p, ${r}holds, 0, ${r}p;`,
    `@${r}p sub.u32 ${r}holds, ${r}holds, 1; @${r}p nanosleep.u32 ${held.all}; @${r}p nanosleep.u32 ${held.all};`,
    ...(isGlobal
      ? [
          `setp.eq.u32 ${r}p, ${r}half, ${index}; setp.gt.and.u32 ${r}p, ${r}halves, 0, ${r}p;`,
          `@${r}p sub.u32 ${r}halves, ${r}halves, 1; @${r}p nanosleep.u32 ${held.half}; @${r}p nanosleep.u32 ${held.half};`,
        ]
      : []),
    '}',
  ]);
}

const block = (lines: readonly string[]): string => `\n${lines.join('\n')}\n`;

/** Source lines for a position in the text: those of the nearest `.loc` before it, if there is one. */
function placesOf(text: string): (at: number) => DelaySite['places'] {
  const files = new Map(
    [...text.matchAll(/^\s*\.file\s+(\d+)\s+"((?:[^"\\\n]|\\.)*)"/gm)].map(([, number = '', path = '']) => [
      number,
      path,
    ]),
  );
  const lines = [...text.matchAll(/^\s*\.loc\s+(\d+)\s+(\d+)\s.*$/gm)];
  const placed = (number = '', line = ''): DelaySite['places'] => {
    const file = files.get(number);
    return file === undefined ? [] : [{ file, line: Number(line) }];
  };
  return (at) => {
    const found = lines.findLast(({ index }) => index < at);
    if (!found) return [];
    const [, file, line] = /\binlined_at\s+(\d+)\s+(\d+)/.exec(found[0]) ?? [];
    return [...placed(found[1], found[2]), ...placed(file, line)];
  };
}
