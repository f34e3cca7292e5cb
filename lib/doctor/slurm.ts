import { openApp } from '../app/app';
import type { SlurmRunner } from '../app/runner-json';
import type { Deps } from '../deps/deps';
import { SlurmClient } from '../slurm/client';
import { runJob } from '../slurm/job';
import { isLocal, jobOf, ofApp, type Elsewhere } from '../slurm/runner';
import { KernloopError } from '../support/error';
import { exitCodes } from '../support/error-codes';
import { doctorResultSchema, type Check } from './check';

/**
 * If kernloop.json sends tasks to Slurm: whether Slurm is installed, takes jobs, and has nodes that see the files they
 * need.
 */
export async function slurmChecks(folder: string, deps: Deps): Promise<Check[]> {
  const there = isLocal(deps) ? undefined : ofApp(folder);
  if (!there) return [];
  const partition = await partitionCheck(there.runner, deps);
  if (partition.state === 'missing') return [partition];
  return [partition, ...(await nodeChecks(folder, there, deps))];
}

async function partitionCheck({ partition }: SlurmRunner, deps: Deps): Promise<Check> {
  const name = 'Slurm: partition';
  const which = partition === undefined ? [] : [`--partition=${partition}`];
  const ended = await new SlurmClient(deps.env).ask('sinfo', ['--noheader', ...which, '--format=%P|%a|%F|%G']);
  if (ended.startError !== null)
    return {
      name,
      state: 'missing',
      detail: 'no sinfo',
      hint: 'apt-get install slurm-client, or KERNLOOP_RUNNER=local',
    };
  const rows = ended.stdoutTail
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('|'));
  const row = partition === undefined ? (rows.find(([title]) => title?.endsWith('*')) ?? rows[0]) : rows[0];
  if (ended.exitCode !== 0 || row === undefined) {
    const said = ended.stderrTail.trim().split('\n')[0] ?? '';
    const detail = said || `there is no partition ${partition ?? ''}`;
    return { name, state: 'missing', detail, hint: '`sinfo` lists the partitions; see "runner" of kernloop.json' };
  }
  const [title = '', availability = '', nodes = '', gres = ''] = row;
  const detail = `${title} is ${availability}; nodes allocated/idle/other/total ${nodes}; ${gres}`;
  return {
    name,
    state: availability === 'up' ? 'ok' : 'missing',
    detail,
    hint: 'name another one in "runner" of kernloop.json',
  };
}

const deviceChecks = { softgpu: 'software GPU', hsa: 'AMD GPU', cuda: 'NVIDIA GPU' } as const;

/** Checks that doctor makes on a node, in a job like those of tasks. */
async function nodeChecks(folder: string, there: Elsewhere, deps: Deps): Promise<Check[]> {
  const stage = { name: 'doctor', project: 'none', paths: ['app'] } as const;
  try {
    const job = jobOf(there, stage, { work: 'stage', options: { app: folder } }, deps);
    const request = { ...job.request, options: {} };
    const found = doctorResultSchema.parse(await runJob({ ...job, request }, { ...deps, report: quietly(deps) }));
    const device = deviceChecks[openApp(folder).config.device ?? 'softgpu'];
    const own = found.checks.filter(({ name }) => ['Node', 'native programs', device].includes(name));
    return own.map((check) => ({
      ...check,
      name: `Slurm: ${check.name}`,
      // A part may be missing here, but a task on the node cannot do without it.
      state: check.state === 'ok' ? 'ok' : 'missing',
    }));
  } catch (error) {
    if (!(error instanceof KernloopError) || error.exitCode === exitCodes.interrupted) throw error;
    return [{ name: 'Slurm: a node', state: 'missing', detail: error.what, hint: error.hint }];
  }
}

const quietly = ({ report }: Deps): Deps['report'] => ({ ...report, result: () => undefined });
