import { Edits } from './edits';
import { addParameters, freePrefix, kernelAlone, limitRegisters } from './kernel-edits';
import { probeUnsupported } from './lexer';
import { readModule, type Instruction, type PtxModule } from './module';

/** An instruction that may be delayed. */
export interface DelaySite {
  /** Its line, then the line of the call if it is of an inlined function. Empty without line information. */
  readonly places: readonly { readonly file: string; readonly line: number }[];
  readonly instruction: string;
}

export interface DelayedPtx {
  readonly ptx: string;
  /** By number. The kernel has four more parameters, u32 each, behind its own: the seed, the first and the number of the sites that delay, and the one that holds. */
  readonly sites: readonly DelaySite[];
  /** Accesses and barriers in functions that are not inlined. */
  readonly left: number;
}

/**
 * Puts a delay before each access to global and shared memory and before each barrier of a kernel. A launch parameter is the seed that decides which
 * warps wait where, and three more say which sites do: a failure is reduced without another compilation. Nothing else of the kernel changes.
 */
export function delayPtx(given: string, kernel: string, blockThreads: number | null = null): DelayedPtx {
  const module = kernelAlone(readModule(given), kernel);
  refuse(module);
  const { text } = module;
  const entry = module.functions.find(({ isEntry, name, body }) => isEntry && name === kernel && body !== null);
  if (!entry?.body) throw probeUnsupported(`the PTX has no kernel ${kernel}`, 'name the PTX of the captured kernel');
  const instructions = entry.body.instructions.filter(isDelayed);
  const edits = new Edits();
  const prefix = `${freePrefix(text)}delay_`;
  edits.insert(entry.body.start, prologue(prefix));
  for (const [index, { start }] of instructions.entries()) edits.insert(start, delay(prefix, index));
  addParameters(
    entry,
    ['seed', 'first', 'count', 'hold'].map((name) => `.param .u32 ${prefix}${name}`),
    edits,
  );
  if (blockThreads !== null) limitRegisters(text, entry, blockThreads, edits);
  const places = placesOf(text);
  return {
    ptx: edits.apply(text),
    sites: instructions.map(({ head, start, end }) => ({
      places: places(start),
      instruction: text.slice(head, end).replaceAll(/\s+/g, ' ').slice(0, 200),
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

const accesses: ReadonlySet<string> = new Set([
  ...['ld', 'ldu', 'st', 'atom', 'red', 'multimem', 'cp', 'ldmatrix', 'stmatrix', 'wmma'],
  ...['suld', 'sust', 'sured', 'tex', 'tld4'],
]);
const barriers: ReadonlySet<string> = new Set(['bar', 'barrier', 'mbarrier', 'fence', 'membar']);
/** Memory that no other thread sees, and memory that nobody writes. */
const own: ReadonlySet<string> = new Set(['param', 'local', 'const']);

function isDelayed({ opcode }: Instruction): boolean {
  const [name = '', ...parts] = opcode;
  if (barriers.has(name)) return true;
  if (name === 'wmma') return parts[0] === 'load' || parts[0] === 'store';
  return accesses.has(name) && !parts.some((part) => own.has(part.split('::')[0] ?? ''));
}

/** lowbias32 of Chris Wellons' hash prospector: every bit of the input changes half of those of the output. */
const mix = (register: string, scratch: string): string[] =>
  [
    [16, 0x7feb352d],
    [15, 0x846ca68b],
    [16, null],
  ].flatMap(([shift, factor]) => [
    `shr.u32 ${scratch}, ${register}, ${shift}; xor.b32 ${register}, ${register}, ${scratch};`,
    ...(factor === null ? [] : [`mul.lo.u32 ${register}, ${register}, ${factor};`]),
  ]);

/** Nanoseconds that a thread of a slow warp, and one of another, sleeps in all at most: the cost of a launch stays bounded. */
const budget = { slow: 100_000, usual: 8_000 };

/** A site that holds makes every warp wait, for longer than any delay: nanoseconds, twice, and how often in a loop. */
const held = 30_000;
const mostHolds = 100;
/** No site holds. */
export const noHold = 0xffff_ffff;

/**
 * The state begins alike in all lanes of a warp. One warp in four is slow, and so are all warps of one block in eight: it sleeps at every second site;
 * others at one in 32.
 */
function prologue(prefix: string): string {
  const r = `%${prefix}`;
  return block([
    `.reg .b32 ${r}state, ${r}left, ${r}often, ${r}passes, ${r}first, ${r}count, ${r}hold, ${r}holds;`,
    '{',
    `.reg .b32 ${r}a, ${r}b, ${r}c, ${r}seed; .reg .pred ${r}p;`,
    `ld.param.u32 ${r}seed, [${prefix}seed]; ld.param.u32 ${r}first, [${prefix}first]; ld.param.u32 ${r}count, [${prefix}count]; ld.param.u32 ${r}hold, [${prefix}hold]; mov.u32 ${r}holds, ${mostHolds};`,
    // The number of the block.
    `mov.u32 ${r}a, %ctaid.z; mov.u32 ${r}b, %nctaid.y; mov.u32 ${r}c, %ctaid.y; mad.lo.u32 ${r}a, ${r}a, ${r}b, ${r}c;`,
    `mov.u32 ${r}b, %nctaid.x; mov.u32 ${r}c, %ctaid.x; mad.lo.u32 ${r}a, ${r}a, ${r}b, ${r}c;`,
    `mad.lo.u32 ${r}a, ${r}a, ${0x9e3779b1}, ${r}seed;`,
    ...mix(`${r}a`, `${r}b`),
    // The number of the warp in it.
    `mov.u32 ${r}state, %tid.z; mov.u32 ${r}b, %ntid.y; mov.u32 ${r}c, %tid.y; mad.lo.u32 ${r}state, ${r}state, ${r}b, ${r}c;`,
    `mov.u32 ${r}b, %ntid.x; mov.u32 ${r}c, %tid.x; mad.lo.u32 ${r}state, ${r}state, ${r}b, ${r}c;`,
    `shr.u32 ${r}state, ${r}state, 5; mad.lo.u32 ${r}state, ${r}state, ${0x85ebca6b}, ${r}a;`,
    ...mix(`${r}state`, `${r}b`),
    `and.b32 ${r}b, ${r}state, 3; and.b32 ${r}c, ${r}a, 7; min.u32 ${r}b, ${r}b, ${r}c; setp.eq.u32 ${r}p, ${r}b, 0;`,
    `selp.u32 ${r}often, 128, 8, ${r}p; selp.u32 ${r}left, ${budget.slow}, ${budget.usual}, ${r}p;`,
    // Up to 0, 7, 63 or 511 sites are passed before the first sleep, by the seed: else all sleep is spent in the first loop, and what a kernel does last
    // (a ticket, a flag) is never late.
    `sub.u32 ${r}b, ${r}seed, 1; and.b32 ${r}b, ${r}b, 3; mul.lo.u32 ${r}b, ${r}b, 3; mov.u32 ${r}c, 1; shl.b32 ${r}c, ${r}c, ${r}b; sub.u32 ${r}c, ${r}c, 1;`,
    `shr.u32 ${r}passes, ${r}state, 8; and.b32 ${r}passes, ${r}passes, ${r}c;`,
    '}',
  ]);
}

/**
 * The state goes on at every site, enabled or not: which of them sleep changes nothing for the others. The sleep has a predicate and no branch, so
 * lanes that run together stay together.
 */
function delay(prefix: string, index: number): string {
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
    `@${r}p sub.u32 ${r}holds, ${r}holds, 1; @${r}p nanosleep.u32 ${held}; @${r}p nanosleep.u32 ${held};`,
    '}',
  ]);
}

const block = (lines: readonly string[]): string => `\n${lines.join('\n')}\n`;

/** By a position in the text: the lines of the nearest `.loc` before it, if there is one. */
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
