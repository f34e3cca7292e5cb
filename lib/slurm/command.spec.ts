import { execFileSync, spawnSync } from 'node:child_process';
import { slurmRunnerSchema } from '../app/runner-json';
import { stageNames, stages } from '../stages/registry';
import type { Stage } from '../stage/stage';
import { devicePool, hiddenExit, JobMarks, placement, wrapped, wrapper } from './command';
import { clientEnvironment, exportedNames } from './environment';

describe('the arguments of a job', () => {
  it('say each value in one word', () => {
    const runner = slurmRunnerSchema.parse({ partition: 'a b', gres: 'gpu:h100:1', extra: ['--mem=8G', '-x n1'] });
    expect(placement(runner)).toEqual(['--partition=a b', '--gres=gpu:h100:1', '--mem=8G', '-x n1']);
  });

  it.each([
    '--export=ALL',
    '--exp=ALL',
    '--job-name',
    '-J',
    '-N2',
    '--',
    '-',
    '--array=1',
    'mem=8G',
    '--chdir=/',
    '--clusters=b',
    '-Mb',
    '-l',
    '--ou=x',
  ])('refuse %s, which Kernloop gives itself or which is none', (extra) => {
    expect(slurmRunnerSchema.safeParse({ extra: [extra] }).success).toBe(false);
  });

  it.each(['--mem=8G', '-c4', '--exclusive', '--nodelist=n1', '--reservation=r'])('take %s', (extra) => {
    expect(slurmRunnerSchema.safeParse({ extra: [extra] }).success).toBe(true);
  });

  it('tell pools of devices by what chooses nodes, and not by time', () => {
    const pool = (more: object): string => devicePool(slurmRunnerSchema.parse(more));
    expect(pool({ time: '10' })).toBe(pool({ time: '20', retries: 5 }));
    expect(pool({ gres: 'gpu:h100:1' })).not.toBe(pool({ gres: 'gpu:a100:1' }));
  });
});

describe('the wrapper', () => {
  const odd = [`it's "$HOME"`, '; a,b', '`date`', ''];
  const run = (paths: string[], command: string[]) =>
    spawnSync('/bin/sh', ['-c', wrapper, 'kernloop', ...wrapped(paths, command)], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], SLURM_JOB_ID: '12', SLURMD_NODENAME: 'n1' },
    });

  it('hands words over as they are', () => {
    const { stdout, stderr, status } = run(['/', '/tmp'], ['printf', '%s|', ...odd]);
    expect([status, stdout]).toEqual([0, odd.map((word) => `${word}|`).join('')]);
    const marks = new JobMarks();
    expect([marks.take(stderr.trim()), marks.id, marks.node]).toEqual([true, '12', 'n1']);
  });

  it('starts nothing where a path is missing, and names each', () => {
    const { stdout, stderr, status } = run(['/', '/none of/these', '/nor this'], ['echo', 'started']);
    const marks = new JobMarks();
    for (const line of stderr.trim().split('\n')) marks.take(line);
    expect([status, stdout, marks.hidden]).toEqual([hiddenExit, '', ['/none of/these', '/nor this']]);
  });

  it('gives the exit code of the program', () => {
    expect(run([], ['sh', '-c', 'exit 7']).status).toBe(7);
    expect(execFileSync('/bin/sh', ['-n', '-c', wrapper]).length).toBe(0);
  });
});

describe('the variables of a job', () => {
  it('are those that are set, ours, and those that kernloop.json names', () => {
    const env = {
      PATH: '/bin',
      KERNLOOP_STORE: '/s',
      KERNLOOP_RUNNER: '',
      CUDA_VISIBLE_DEVICES: '0',
      MINE: 'a,b',
      X: '1',
    };
    expect(exportedNames(env, ['MINE', 'NOT_SET', 'PATH'])).toEqual(['PATH', 'KERNLOOP_STORE', 'MINE']);
  });

  it('do not take a job for the one that Kernloop itself runs in', () => {
    const inside = { SLURM_JOB_ID: '3', SLURM_NTASKS: '4', SLURM_CONF: '/c', PATH: '/bin' };
    expect(clientEnvironment(inside)).toMatchObject({
      SLURM_JOB_ID: undefined,
      SLURM_NTASKS: undefined,
      SLURM_CONF: '/c',
    });
    expect(clientEnvironment({ SLURM_CONF: '/c', SLURM_CLUSTERS: 'x' })).toEqual({
      SLURM_CONF: '/c',
      SLURM_CLUSTERS: 'x',
    });
  });
});

describe('stages that need the device', () => {
  it('are those of a project that have an option for it', () => {
    const all = stageNames.map((name): Stage => stages[name]).filter(({ project }) => project !== 'none');
    const named = (is: (stage: Stage) => boolean): string[] => all.filter(is).map(({ name }) => name);
    expect(named(({ onDevice }) => onDevice === true)).toEqual(named(({ options }) => 'device' in options.shape));
  });
});
