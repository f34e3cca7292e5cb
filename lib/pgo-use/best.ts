import { refusals } from '../pgo/refusals';

interface Named {
  readonly name: string;
}

interface Rules<T> {
  /** Why a build by the profile is not kept; null for no reason. */
  readonly objection: (one: T) => string | null;
  /** Judgement of a build that has no profile. */
  readonly reference: (one: T) => string;
  readonly order: (one: T, other: T) => number;
  readonly isSame: (one: T, best: T) => boolean;
  /** Word for a build that is good, but not the best. */
  readonly good: string;
}

export interface Best<T> {
  readonly best: T | undefined;
  /** By name. */
  readonly judgements: Readonly<Record<string, string>>;
  /** Why each build by the profile is not kept. */
  readonly refused: string;
}

const references: readonly string[] = ['own', 'base'];

export const isByProfile = ({ name }: Named): boolean => !references.includes(name);

/** Judges all builds, and finds the best by the profile to which nothing is objected. */
export function bestOf<T extends Named>(all: readonly T[], rules: Rules<T>): Best<T> {
  const byProfile = all.filter(isByProfile);
  const objections = new Map(byProfile.map((one) => [one.name, rules.objection(one)]));
  const [best] = byProfile.filter(({ name }) => objections.get(name) === null).sort(rules.order);
  const among = (one: T): string => {
    if (one === best || best === undefined) return 'kept';
    return rules.isSame(one, best) ? `the same as ${best.name}` : `${rules.good}, but not as good as ${best.name}`;
  };
  const judgements = Object.fromEntries(
    all.map((one): [string, string] => [
      one.name,
      isByProfile(one) ? (objections.get(one.name) ?? among(one)) : rules.reference(one),
    ]),
  );
  const refused = refusals(byProfile.map(({ name }) => ({ name, why: judgements[name] ?? '' })));
  return { best, judgements, refused };
}
