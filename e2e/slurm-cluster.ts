import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const nodeNames = ['d1', 'd2'] as const;
export type NodeName = (typeof nodeNames)[number];

/** Limit for a loaded machine; nothing takes this long. */
const limitMs = 180_000;
const startTries = 5;

/**
 * Debian's Slurm: one controller, two nodes on this host, and munge, all in a folder of the test and as the user who
 * runs the tests. Partitions: `p` (both nodes), `short` (jobs of at most a minute; preempted by p), `closed` (down).
 */
export class SlurmCluster {
  private readonly running = new Map<string, ChildProcess>();

  private constructor(
    readonly folder: string,
    private readonly lines: readonly string[],
  ) {}

  /** `lines`: additions to slurm.conf. */
  static async start(lines: readonly string[] = []): Promise<SlurmCluster> {
    const cluster = new SlurmCluster(mkdtempSync(join(tmpdir(), 'kernloop-slurm-')), lines);
    chmodSync(cluster.folder, 0o755);
    try {
      await cluster.startMunge();
      for (let tried = 1; ; tried += 1) {
        // Retries, because another process may take a port between choosing it and listening on it.
        try {
          await cluster.startDaemons();
          return cluster;
        } catch (error) {
          await cluster.stopDaemons();
          if (tried === startTries) throw error;
        }
      }
    } catch (error) {
      await cluster.remove();
      throw error;
    }
  }

  get env(): { SLURM_CONF: string } {
    return { SLURM_CONF: join(this.folder, 'slurm.conf') };
  }

  /** Stdout of a client. */
  ask(program: string, ...args: string[]): string {
    return execFileSync(program, args, { env: { ...process.env, ...this.env }, encoding: 'utf8' });
  }

  /** Numbers of pending or running jobs. */
  jobs(): string[] {
    return this.ask('squeue', '--noheader', '--format=%i').split('\n').filter(Boolean);
  }

  /** Simulates power loss of a node: kills its daemon and all processes of its jobs. */
  async kill(node: NodeName): Promise<void> {
    const daemon = this.running.get(node);
    this.running.delete(node);
    const ended = daemon && endOf(daemon);
    daemon?.kill('SIGKILL');
    for (const pid of processesOf(node, join(this.folder, 'slurm.conf'))) tryKill(pid);
    await ended;
  }

  async restart(node: NodeName): Promise<void> {
    this.startNode(node);
    await this.nodesUp([node]);
  }

  /** Waits until the condition holds; fails with the logs of the cluster. */
  async until(what: string, holds: () => boolean): Promise<void> {
    for (const end = Date.now() + limitMs; Date.now() < end; await sleep(100)) if (holds()) return;
    throw new Error(`${what}: not within ${limitMs / 1000} s\n${this.logs()}`);
  }

  async remove(): Promise<void> {
    await this.stopDaemons();
    await this.end('munged');
    rmSync(this.folder, { recursive: true, force: true });
  }

  logs(): string {
    return ['slurmctld', ...nodeNames]
      .map((name) => `--- ${name}\n${textOr(join(this.folder, 'log', `${name}.log`)).slice(-4000)}`)
      .join('\n');
  }

  private async startMunge(): Promise<void> {
    const folder = join(this.folder, 'munge');
    mkdirSync(folder, { mode: 0o755 });
    const key = join(folder, 'key');
    writeFileSync(key, randomBytes(128), { mode: 0o400 });
    const files = ['socket', 'pid-file', 'log-file', 'seed-file'].map((name) => `--${name}=${join(folder, name)}`);
    this.spawn('munged', '/usr/sbin/munged', ['--foreground', '--force', `--key-file=${key}`, ...files]);
    await this.until('munged answers', () => succeeds('munge', ['-n', '-S', join(folder, 'socket')]));
  }

  private async startDaemons(): Promise<void> {
    const ports = await freePorts(3);
    for (const name of ['ctl', 'log', ...nodeNames]) mkdirSync(join(this.folder, name), { recursive: true });
    writeFileSync(join(this.folder, 'slurm.conf'), this.configuration(ports));
    writeFileSync(join(this.folder, 'cgroup.conf'), '');
    this.spawn('slurmctld', '/usr/sbin/slurmctld', ['-D', '-c', '-f', this.env.SLURM_CONF]);
    for (const node of nodeNames) this.startNode(node);
    await this.nodesUp(nodeNames);
  }

  private startNode(node: NodeName): void {
    this.spawn(node, '/usr/sbin/slurmd', ['-D', '-N', node, '-f', this.env.SLURM_CONF]);
  }

  private async nodesUp(nodes: readonly NodeName[]): Promise<void> {
    await this.until(`${nodes.join()} up`, () => {
      for (const name of ['slurmctld', ...nodes])
        if (this.running.get(name)?.exitCode !== null) throw new Error(`${name} ended\n${this.logs()}`);
      return nodes.every((node) => {
        try {
          return /^(idle|mix|alloc)/.test(this.ask('sinfo', '--noheader', '--nodes', node, '--format=%T').trim());
        } catch {
          return false;
        }
      });
    });
  }

  private configuration([controller = 0, ...ports]: readonly number[]): string {
    const { folder } = this;
    const [host = 'localhost'] = hostname().split('.');
    const user = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();
    const node = (name: string, index: number): string =>
      `NodeName=${name} NodeHostname=${host} NodeAddr=127.0.0.1 Port=${ports[index]} CPUs=4 State=UNKNOWN`;
    return [
      'ClusterName=kernloop',
      `SlurmctldHost=${host}(127.0.0.1)`,
      `SlurmctldPort=${controller}`,
      'AuthType=auth/munge',
      `AuthInfo=socket=${folder}/munge/socket`,
      `SlurmUser=${user}`,
      `SlurmdUser=${user}`,
      `StateSaveLocation=${folder}/ctl`,
      `SlurmdSpoolDir=${folder}/%n`,
      `SlurmctldPidFile=${folder}/slurmctld.pid`,
      `SlurmdPidFile=${folder}/%n.pid`,
      `SlurmctldLogFile=${folder}/log/slurmctld.log`,
      `SlurmdLogFile=${folder}/log/%n.log`,
      'ProctrackType=proctrack/pgid',
      'TaskPlugin=task/none',
      'JobAcctGatherType=jobacct_gather/none',
      'AccountingStorageType=accounting_storage/none',
      'MpiDefault=none',
      'SwitchType=switch/none',
      'ReturnToService=2',
      'SlurmdParameters=config_overrides',
      'SelectType=select/cons_tres',
      'SelectTypeParameters=CR_Core',
      'PreemptType=preempt/partition_prio',
      'PreemptMode=CANCEL',
      'SchedulerParameters=batch_sched_delay=1,sched_interval=2,bf_interval=2',
      // A node that does not answer counts as lost.
      'SlurmdTimeout=20',
      'KillWait=2',
      'MinJobAge=3600',
      ...this.lines,
      ...nodeNames.map(node),
      'PartitionName=p Nodes=d1,d2 Default=YES State=UP PriorityTier=10',
      'PartitionName=short Nodes=d1,d2 MaxTime=1 State=UP PriorityTier=1',
      'PartitionName=closed Nodes=d1,d2 State=DOWN',
      '',
    ].join('\n');
  }

  private spawn(name: string, program: string, args: readonly string[]): void {
    this.running.set(name, this.started(program, args));
  }

  /** Ends with the test process, in any case. */
  private started(program: string, args: readonly string[]): ChildProcess {
    const words = ['--pdeathsig', 'KILL', '--', program, ...args];
    return spawn('/usr/bin/setpriv', words, { env: { ...process.env, ...this.env }, stdio: 'ignore' });
  }

  private async stopDaemons(): Promise<void> {
    for (const node of nodeNames) await this.kill(node);
    await this.end('slurmctld');
  }

  private async end(name: string): Promise<void> {
    const child = this.running.get(name);
    this.running.delete(name);
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const ended = endOf(child);
    child.kill('SIGKILL');
    await ended;
  }
}

function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once('exit', () => resolve()));
}

/** Processes of a node's job steps, which have its name and this cluster's configuration in their environment. */
function processesOf(node: string, configuration: string): number[] {
  const pids = execFileSync('ls', ['/proc'], { encoding: 'utf8' })
    .split('\n')
    .filter((name) => /^\d+$/.test(name));
  return pids
    .filter((pid) => {
      const environment = textOr(`/proc/${pid}/environ`).split('\0');
      const isStep = textOr(`/proc/${pid}/cmdline`).startsWith('slurmstepd');
      const isHere =
        environment.includes(`SLURMD_NODENAME=${node}`) || (isStep && environment.includes(`SLURM_NODE_NAME=${node}`));
      return isHere && environment.includes(`SLURM_CONF=${configuration}`);
    })
    .map(Number);
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process ended by itself.
  }
}

function textOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function succeeds(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** All ports are held at once, so that they differ. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports: number[] = [];
  for (const server of servers) {
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    ports.push((server.address() as AddressInfo).port);
  }
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
  return ports;
}
