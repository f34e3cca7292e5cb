import { buildWords } from '../pgo/layout';
import { formatCount } from '../support/report';
import { bestOf, isByProfile } from './best';
import type { AppBuildResult } from './result';

type Candidate = Omit<AppBuildResult, 'judgement'>;

/**
 * Chooses the build that executes least, if that is less than the app's own build and than clang 22 without a profile,
 * and if its output equals the app's.
 */
export function chooseBuild(
  builds: readonly Candidate[],
  unit: string,
): { kept: string | null; reason: string; judgements: Readonly<Record<string, string>> } {
  const references = builds.filter((one) => !isByProfile(one) && one.right);
  const objection = (one: Candidate): string | null => {
    if (!one.right) return 'not right: it ended otherwise than the app, or wrote something else';
    const worse = references.find(({ least }) => one.most >= least);
    if (worse === undefined) return null;
    return `${one.total > worse.total ? 'more' : 'no less'} than ${described(worse.name)}: ${figure(one)} ${unit}, not below ${figure(worse)}`;
  };
  const { best, judgements, refused } = bestOf(builds, {
    objection,
    reference: (one) => {
      if (one.name === 'own') return 'the app as it is';
      return one.right ? 'the same compiler without a profile' : (objection(one) ?? '');
    },
    order: (one, other) => one.total - other.total,
    isSame: (one, other) => one.least === other.least && one.most === other.most && one.total === other.total,
    good: 'better',
  });
  if (best === undefined) return { kept: null, reason: refused, judgements };
  // The gain against base comes first: it is the profile's, and the rest of a gain is another compiler's.
  const gains = references
    .toSorted((a, b) => Number(b.name === 'base') - Number(a.name === 'base'))
    .map(({ name, total }) => {
      const reference = name === 'base' ? buildWords(name) : described(name);
      return `${percent(best.total, total)} against ${reference}`;
    });
  return { kept: best.name, reason: `${buildWords(best.name)}: ${gains.join(', ')}`, judgements };
}

const described = (name: string): string => (name === 'own' ? "the app's own build" : 'base');

const figure = ({ total, least, most }: Candidate): string =>
  least === most ? formatCount(total) : `${formatCount(total)} (${formatCount(least)} to ${formatCount(most)})`;

const percent = (mine: number, theirs: number): string => `−${((100 * (theirs - mine)) / theirs).toFixed(1)}%`;
