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

/** An access outside of memory, before the name of the array near to it: neither needs the address. */
const access =
  /(?:memory access outside of every allocation|access past the end of an allocation): ((?:read|write) of \d+ bytes?) at 0x[0-9a-f]+: (?=[\d,]+ bytes? (?:behind|before|into) )/g;

/**
 * Text with a fault, for people: memory by the parameters that point there, one distance, and no address of this run.
 * `placeOfWave` tells the instruction. Results keep the text of the device.
 */
export function faultWords(
  text: string,
  { reproducer, capture }: Pick<ReplaySession, 'capture'> & { reproducer: Pick<ReplaySession['reproducer'], 'config'> },
): string {
  const names = new Map(
    capture.regions.map((region) => {
      const claims = claimsOn({ ...region, base: BigInt(region.base) }, reproducer.config, capture);
      const parameters = claims.flatMap((claim) => claim.parameters.map(({ name }) => name ?? ''));
      return [region.id, [...new Set(parameters)].filter((name) => name !== '').join(', ')];
    }),
  );
  const { symbol, name } = capture.kernel;
  return text
    .replace(executed, (_all, mangled: string) => (mangled === symbol ? '' : ` in kernel ${mangled}`))
    .replaceAll(otherDistance, (all, bytes: string, captured?: string) =>
      captured !== undefined || Number(bytes) > furthestNear ? '' : all,
    )
    .replaceAll(access, '$1, ')
    .replaceAll(/ at pc 0x[0-9a-f]+ \((entry [+-]0x[0-9a-f]+)\)/g, ' at $1')
    .replaceAll(/(\bin kernel )(\S+)/g, (all, lead: string, mangled: string) =>
      mangled === symbol ? `${lead}${withoutParameters(name)}` : all,
    )
    .replaceAll(/\b(behind|before|into) region (\w+)/g, (all, where: string, id: string) =>
      names.get(id) ? `${where} ${names.get(id)}` : all,
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
