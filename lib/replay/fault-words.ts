import { furthestNear } from './fault-text';
import { claimsOn } from '../reproducer/signature';
import type { ReplaySession } from './session';

/** Distance that the device tells of its own allocation; the second group is that of a captured region. */
const otherDistance =
  /: (\d+) bytes (?:past the end of|before) the \d+-byte allocation at 0x[0-9a-f]+ \('[^']*'\)(?=(: [\d,]+ bytes? (?:behind|before|into) region )?)/g;

/** Instruction and wave in the text of the software GPU. */
const executed =
  / in kernel (\S+) at pc 0x[0-9a-f]+ \(entry ([+-]0x[0-9a-f]+)\)(?:, instruction `([^`]*)`)?, workgroup (\([\d, ]+\)), wave (\d+)(?:, lane (\d+))?/;

/** The wave that faulted, and its instruction. Null if the device does not tell them. */
export function placeOfWave(text: string): string | null {
  const [, , entry, instruction, workgroup, wave, lane] = executed.exec(text) ?? [];
  if (entry === undefined) return null;
  return [
    `workgroup ${workgroup}, wave ${wave}`,
    ...(lane === undefined ? [] : [`lane ${lane}`]),
    instruction === undefined ? `entry ${entry}` : `at \`${instruction}\` (entry ${entry})`,
  ].join(', ');
}

/** An access whose first bytes are inside. The second group is the number of the others, the third the region. */
const crossing =
  /(?:memory access outside of every allocation|access past the end of an allocation): ((?:read|write) of \d+ bytes) at 0x[0-9a-f]+: its last (\d+) bytes lie past the end of the \d+-byte allocation at 0x[0-9a-f]+ \('[^']*'\): [\d,]+ bytes? into region (\w+)( \([^)]*\))?/g;

/** An access outside of memory, before words that say where it was: these need no address. */
const access =
  /(?:memory access outside of every allocation|access past the end of an allocation): ((?:read|write) of \d+ bytes?) at 0x[0-9a-f]+: (?=[\d,]+ bytes? (?:behind|before|into) |just behind |outside of every )/g;

const throughNull =
  /(?:memory access outside of every allocation|access past the end of an allocation): ((?:read|write) of \d+ bytes? at (0x[0-9a-f]+))(?:: through a null pointer)?/g;
/** Members and first elements behind a null pointer. */
const nullBytes = 2 ** 16;

/** An access this near to an array meant that array. Of one that is further away, another array may be the nearest. */
const adjacentBytes = 4096;

type Captured = Pick<ReplaySession, 'capture'> & { reproducer: Pick<ReplaySession['reproducer'], 'config'> };

/** Names of the parameters that point to each region. */
function arraysOf({ reproducer, capture }: Captured): Map<string, string[]> {
  return new Map(
    capture.regions.map((region) => {
      const claims = claimsOn({ ...region, base: BigInt(region.base) }, reproducer.config, capture);
      const parameters = claims.flatMap((claim) => claim.parameters.map(({ name }) => name ?? ''));
      return [region.id, [...new Set(parameters)].filter((name) => name !== '')];
    }),
  );
}

/** Parameters that a line of the source names, of those that point to memory. */
export function arraysIn(line: string, session: Captured): string[] {
  const words = new Set(line.match(/\w+/g));
  return [...new Set([...arraysOf(session).values()].flat())].filter((name) => words.has(name));
}

export const isThroughNull = (text: string): boolean =>
  [...text.matchAll(/: (?:read|write) of \d+ bytes? at (0x[0-9a-f]+)/g)].some(([, at]) => Number(at) < nullBytes);

/**
 * Text with a fault, for people: memory by the parameters that point there, one distance, and no address of this run.
 * `placeOfWave` tells the instruction. Results keep the text of the device. `line`: the source of the access, if known.
 */
export function faultWords(text: string, session: Captured, line: string | null = null): string {
  const { symbol, name } = session.capture.kernel;
  const arrays = arraysOf(session);
  const used = line === null ? [] : arraysIn(line, session);
  const isMeant = (names: readonly string[], distance: string): boolean => {
    if (arrays.size === 1) return true;
    if (used.length > 0 && used.every((array) => names.includes(array))) return true;
    const isPossible = used.length === 0 || used.some((array) => names.includes(array));
    return isPossible && Number(distance.replaceAll(',', '')) <= adjacentBytes;
  };
  return text
    .replace(executed, (_all, mangled: string) => (mangled === symbol ? '' : ` in kernel ${mangled}`))
    .replaceAll(crossing, (_all, done: string, bytes: string, id: string, size = '') => {
      const names = arrays.get(id) ?? [];
      return `${done}, the last ${bytes} of them behind ${names.length > 0 ? names.join(', ') : `region ${id}`}${size}`;
    })
    .replaceAll(otherDistance, (all, bytes: string, captured?: string) =>
      captured !== undefined || Number(bytes) > furthestNear ? '' : all,
    )
    .replaceAll(
      /([\d,]+) (bytes?) (behind|before|into) region (\w+)( \([^)]*\))?/g,
      (_all, distance: string, unit: string, where: string, id: string, size = '') => {
        const names = arrays.get(id) ?? [];
        const array = names.length > 0 ? names.join(', ') : `region ${id}`;
        const far = distance === '0' && where === 'behind' ? 'just' : `${distance} ${unit}`;
        if (where === 'into' || isMeant(names, distance)) return `${far} ${where} ${array}${size}`;
        return `outside of every array (the nearest is ${array}, ${distance} ${unit} away)`;
      },
    )
    .replaceAll(throughNull, (all, done: string, address: string) =>
      Number(address) < nullBytes ? `${done}, through a null pointer` : all,
    )
    .replaceAll(access, '$1, ')
    .replaceAll(/ at pc 0x[0-9a-f]+ \((entry [+-]0x[0-9a-f]+)\)/g, ' at $1')
    .replaceAll(/(\bin kernel )(\S+)/g, (all, lead: string, mangled: string) =>
      mangled === symbol ? `${lead}${withoutParameters(name)}` : all,
    );
}

/** The first line of the output has the parameters. */
function withoutParameters(name: string): string {
  if (!name.endsWith(')')) return name;
  let depth = 0;
  for (let at = name.length - 1; at > 0; at -= 1) {
    if (name[at] === ')') depth += 1;
    if (name[at] === '(') depth -= 1;
    if (depth === 0) return name.slice(0, at).replace(/^void /, '');
  }
  return name;
}
