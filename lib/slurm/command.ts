import type { SlurmRunner } from '../app/runner-json';
import { sha256 } from '../support/files';

/** What chooses the nodes of a job. */
export function placement({ partition, gres, time, account, qos, constraint, extra }: SlurmRunner): string[] {
  const named = Object.entries({ partition, gres, time, account, qos, constraint });
  return [...named.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])), ...extra];
}

/** Stands for the devices that jobs may get, which the machine that submits them does not see. */
export function devicePool(runner: SlurmRunner): string {
  return `slurm-${sha256(JSON.stringify(placement({ ...runner, time: undefined }))).slice(0, 12)}`;
}

const startedMark = 'kernloop-job';
const hiddenMark = 'kernloop-not-visible';
export const hiddenExit = 90;

/**
 * Runs on the node: says which job this is, looks whether the node sees so many paths, and becomes the program behind them. It is the same
 * text for every job; what differs are its arguments, so that no path or value is ever read by a shell.
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

/** The arguments of the wrapper. */
export const wrapped = (paths: readonly string[], command: readonly string[]): string[] => [
  String(paths.length),
  ...paths,
  ...command,
];

/** What a job prints for Kernloop among what it prints for people. */
export class JobMarks {
  id: string | undefined;
  node: string | undefined;
  readonly hidden: string[] = [];

  /** Whether the line is one of these. */
  take(line: string): boolean {
    const [, mark, rest = ''] = /^([\w-]+) (.*)$/.exec(line) ?? [];
    if (mark === startedMark) [this.id, this.node] = rest.split(' ');
    else if (mark === hiddenMark) this.hidden.push(rest);
    else return false;
    return true;
  }
}
