import type { CaptureJson } from '../archive/capture-files';
import type { KernelJson } from '../reproducer/kernel-json';
import { claimsOn, type Claim } from '../reproducer/signature';
import { variableName } from '../source/mangled-name';
import { formatCount } from '../support/report';
import { nameOf } from './regions';

interface Bytes {
  readonly region?: string | undefined;
  readonly variable?: string | undefined;
  readonly offset: number;
  readonly bytes: number;
}

/** Names of captured memory on the command line: those of the parameters that point to it, as on the report page. */
export interface RegionNames {
  /** Bytes of a region: `out`, `out+64`, `r0 (queries, keys)` if several arrays are in them, `r7` if none is. */
  of(bytes: Bytes): string;
  /** Text of another stage, which knows regions by their ids and places by their offsets in them. */
  inText(text: string): string;
}

/** Names of a table that no capture belongs to. */
export const idsOnly: RegionNames = {
  of: (bytes) => `${nameOf(bytes)}${bytes.offset > 0 ? `+${formatCount(bytes.offset)}` : ''}`,
  inText: (text) => text,
};

const mostCharacters = 24;

export function regionNames(config: KernelJson, capture: CaptureJson): RegionNames {
  const claims = new Map(
    capture.regions.map((region) => [region.id, claimsOn({ ...region, base: BigInt(region.base) }, config, capture)]),
  );
  const taken = new Set(config.args.map(({ name }) => name));
  // Offsets in text are those in the region, so that only an array at its begin gives it a name there.
  const whole = new Map(
    [...claims].flatMap(([id, [first, ...others]]) => {
      const name = first?.offset === 0 && others.length === 0 ? parametersOf([first]) : '';
      return name === '' || taken.has(id) ? [] : [[id, name] as const];
    }),
  );
  return {
    of: (bytes) => {
      const id = nameOf(bytes);
      if (bytes.region === undefined) return withOffset(variableName(id) ?? id, bytes.offset);
      const all = claims.get(bytes.region) ?? [];
      const within = all.find(
        (claim) => bytes.offset >= claim.offset && bytes.offset + bytes.bytes <= claim.offset + claim.size,
      );
      const name = within ? parametersOf([within]) : '';
      if (within && name !== '') return withOffset(name, bytes.offset - within.offset);
      const names = parametersOf(
        all.filter((claim) => claim.offset < bytes.offset + bytes.bytes && bytes.offset < claim.offset + claim.size),
      );
      return withOffset(id, bytes.offset) + (names === '' || bytes.offset > 0 ? '' : ` (${names})`);
    },
    // Options such as `--dtype r1=f32` keep the id.
    inText: (text) => text.replaceAll(/(?<![\w./-])r\d+(?![\w/=:-])/g, (word) => whole.get(word) ?? word),
  };
}

/** Names of the parameters; the first one alone if together they would widen the table. */
function parametersOf(claims: readonly Claim[]): string {
  const names = [...new Set(claims.flatMap(({ parameters }) => parameters.map(({ name }) => name ?? '')))];
  const named = names.filter((name) => name !== '');
  const all = named.join(', ');
  return all.length > mostCharacters && named.length > 1 ? `${named[0] ?? ''}, …` : all;
}

const withOffset = (name: string, offset: number): string => (offset > 0 ? `${name}+${formatCount(offset)}` : name);
