import type { SlurmRunner } from '../app/runner-json';
import { sha256 } from '../support/files';

/** Options that choose the nodes of a job. */
export function placement({ partition, gres, time, account, qos, constraint, extra }: SlurmRunner): string[] {
  const named = Object.entries({ partition, gres, time, account, qos, constraint });
  return [...named.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])), ...extra];
}

/** Identifies the devices that jobs may get, which the submitting machine cannot see. */
export function devicePool(runner: SlurmRunner): string {
  return `slurm-${sha256(JSON.stringify(placement({ ...runner, time: undefined }))).slice(0, 12)}`;
}

const startedMark = 'kernloop-job';
const hiddenMark = 'kernloop-not-visible';
export const hiddenExit = 90;

/**
 * Runs on the node: prints the job's number, checks that the node sees the given paths, and becomes the program after
 * them. The text is the same for every job and only its arguments differ, so no shell ever parses a path or value.
 */
export const wrapper = `echo "${startedMark} $SLURM_JOB_ID $SLURMD_NODENAME" >&2
hidden=
count=$1
shift
while [ "$count" -gt 0 ]; do
  [ -e "$1" ] || { printf '%s %s\\n' "${hiddenMark}" "$1" >&2; hidden=1; }
  shift
  count=$((count - 1))
done
[ -z "$hidden" ] || exit ${hiddenExit}
exec "$@"
`;

/** Arguments of the wrapper. */
export const wrapped = (paths: readonly string[], command: readonly string[]): string[] => [
  String(paths.length),
  ...paths,
  ...command,
];

/** Marks that a job prints for Kernloop among its other output. */
export class JobMarks {
  id: string | undefined;
  node: string | undefined;
  readonly hidden: string[] = [];

  /** Consumes a line if it is a mark; returns whether it was. */
  take(line: string): boolean {
    const [, mark, rest = ''] = /^([\w-]+) (.*)$/.exec(line) ?? [];
    if (mark === startedMark) [this.id, this.node] = rest.split(' ');
    else if (mark === hiddenMark) this.hidden.push(rest);
    else return false;
    return true;
  }
}
