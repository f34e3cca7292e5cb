import { buildWords } from '../pgo/layout';
import { refusals } from '../pgo/refusals';
import { formatCount } from '../support/report';
import type { AppBuildResult } from './result';

type Candidate = Omit<AppBuildResult, 'judgement'>;

/**
 * Chooses the build that executes least, if that is less than the app's own build and than clang 22 without a profile,
 * and if its output equals the app's.
 */
export function chooseBuild(
  builds: readonly Candidate[],
  unit: string,
): {
  kept: string | null;
  reason: string;
  judgements: Readonly<Record<string, string>>;
} {
  const references = builds.filter(({ name, right }) => (name === 'own' || name === 'base') && right);
  const objection = (one: Candidate): string | null => {
    if (!one.right) return 'not right: it ended otherwise than the app, or wrote something else';
    const worse = references.find(({ least }) => one.most >= least);
    if (worse === undefined) return null;
    return `${one.total > worse.total ? 'more' : 'no less'} than ${described(worse.name)}: ${figure(one)} ${unit}, not below ${figure(worse)}`;
  };
  const byProfile = builds.filter(({ name }) => name !== 'own' && name !== 'base');
  const good = byProfile.filter((one) => objection(one) === null);
  const [best] = [...good].sort((a, b) => a.total - b.total);
  const judgements = Object.fromEntries(
    builds.map((one): [string, string] => {
      if (one.name === 'own') return [one.name, 'the app as it is'];
      if (one.name === 'base')
        return [one.name, one.right ? 'the same compiler without a profile' : (objection(one) ?? '')];
      return [one.name, objection(one) ?? (one === best || best === undefined ? 'kept' : beside(one, best))];
    }),
  );
  const reason = best
    ? // What the profile is worth comes first: the rest of a gain is another compiler's.
      `${buildWords(best.name)}: ${references
        .toSorted((a, b) => Number(b.name === 'base') - Number(a.name === 'base'))
        .map(
          ({ name, total }) =>
            `${percent(best.total, total)} against ${name === 'base' ? buildWords(name) : described(name)}`,
        )
        .join(', ')}`
    : refusals(byProfile.map(({ name }) => ({ name, why: judgements[name] ?? '' })));
  return { kept: best?.name ?? null, reason, judgements };
}

/** A better build that is not the one that is kept. */
const beside = (one: Candidate, best: Candidate): string =>
  one.least === best.least && one.most === best.most && one.total === best.total
    ? `the same as ${best.name}`
    : `better, but not as good as ${best.name}`;

const described = (name: string): string => (name === 'own' ? "the app's own build" : 'base');

const figure = ({ total, least, most }: Candidate): string =>
  least === most ? formatCount(total) : `${formatCount(total)} (${formatCount(least)} to ${formatCount(most)})`;

const percent = (mine: number, theirs: number): string => `−${((100 * (theirs - mine)) / theirs).toFixed(1)}%`;
