// A hostile program (native/sandbox/test/hostile.c) tries one way out after another. Each must succeed outside of the
// sandbox, so that no test passes for nothing, and fail inside, as on each kernel since Linux 5.13.
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { nativePathsIn } from '../native/native-paths';
import { packageRoot } from '../support/version';
import { toolchainFolders } from './toolchain-folders';

const { sandbox } = nativePathsIn(join(packageRoot, 'native', 'build'));
const isRoot = process.getuid?.() === 0;

let folder: string;
let hostile: string;
let victim: ChildProcess;
/** Words that the victim prints: ports of TCP and UDP, address of a byte. */
let served: string[];

const inside = (...parts: string[]): string => join(folder, 'candidate', ...parts);
const outside = (...parts: string[]): string => join(folder, 'judge', ...parts);
/** A file of the toolchain, which may be read. */
const header = (): string => join(folder, 'toolchain', 'header.h');
const socketOf = (name: string): string => join(folder, name);

/** Files as each try finds them. */
function layOut(): void {
  for (const path of [inside(), outside(), dirname(header())]) {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path);
  }
  writeFileSync(outside('capture.json'), 'a secret');
  writeFileSync(header(), '#pragma once');
  writeFileSync(outside('replaced'), 'of the judge');
  writeFileSync(inside('own'), 'of the candidate');
  writeFileSync(outside('program'), '#!/bin/sh\nexit 0\n');
  chmodSync(outside('program'), 0o755);
}

const words = (options: readonly string[] = []): string[] => [
  ...toolchainFolders([hostile], {}).flatMap((path) => ['--read', path]),
  ...['--read', dirname(header()), '--write', inside(), ...options, '--', hostile],
];

/** The oldest, that of Debian 12, the last one in which signals pass, and the newest of this kernel. */
const abis = [1, 2, 5, 99];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kernloop-escapes-'));
  hostile = join(folder, 'hostile');
  const source = join(packageRoot, 'native', 'sandbox', 'test', 'hostile.c');
  execFileSync('gcc', ['-Wall', '-Wno-unused-result', source, '-o', hostile, '-pthread', '-lrt']);
  const paths = [socketOf('stream'), socketOf('datagram'), `kernloop-${process.pid}`];
  victim = spawn(hostile, ['serve', ...paths], {
    env: { SECRET: 'x' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  served = await new Promise((resolve) =>
    victim.stdout?.once('data', (line: Buffer) => resolve(line.toString().trim().split(' '))),
  );
});
afterAll(async () => {
  const ended = new Promise((resolve) => victim.once('close', resolve));
  victim.kill('SIGKILL');
  await ended;
  rmSync(folder, { recursive: true, force: true });
});

type Try = [name: string, args?: () => string[]];
const ofVictim = (): string[] => [`${victim.pid}`];
const secret = (): string[] => [outside('capture.json')];

const tries: Try[] = [
  ['read', secret],
  ['read', () => ['/etc/passwd']],
  ['list', () => [outside()]],
  ['write', secret],
  ['create', () => [outside('new')]],
  ['create', () => [join(tmpdir(), `kernloop-new-${process.pid}`)]],
  ['truncate', secret],
  ['truncate-reading', secret],
  ['truncate-reading', () => [header()]],
  ['truncate-mode-3', secret],
  ['ioctl-mode-3', secret],
  ['link', () => [outside('capture.json'), inside('link')]],
  ['link', () => [inside('own'), outside('link')]],
  ['link', () => [header(), inside('link')]],
  ['symlink', () => [outside('capture.json'), inside('link')]],
  ['symlink', () => [inside('own'), outside('link')]],
  ['rename', () => [inside('own'), outside('replaced')]],
  ['rename', () => [outside('capture.json'), inside('taken')]],
  ['exchange', () => [outside('capture.json'), inside('own')]],
  ['unlink', secret],
  ['mkdir', () => [outside('folder')]],
  ['fifo', () => [inside('fifo')]],
  ['chmod', secret],
  ['chmod', () => [header()]],
  ['fchmod', () => [header()]],
  ['chown', secret],
  ['utimes', secret],
  ['setxattr', secret],
  ['set-user', () => [inside('new')]],
  ['set-user-creat', () => [inside('new')]],
  ['set-user-unnamed', () => [inside()]],
  ['set-user-node', () => [inside('new')]],
  ['execute', () => [outside('program')]],
  ['watch', () => [outside()]],
  ['handle', secret],
  ['attributes', () => [header()]],
  ['lease', () => [header()]],
  ['environ', ofVictim],
  ['memory-file', ofVictim],
  ['descriptors', ofVictim],
  ['command-line', ofVictim],
  ['folder-of', ofVictim],
  ['processes'],
  ['ptrace', ofVictim],
  ['read-memory', () => [`${victim.pid}`, served[2] ?? '']],
  ['kill', ofVictim],
  ['kill', () => ['-1']],
  ['kill-parent'],
  ['kill-thread', ofVictim],
  ['queue', ofVictim],
  ['kill-by-pidfd', ofVictim],
  ['owner', ofVictim],
  ['limit', ofVictim],
  ['renice', ofVictim],
  ['renice-group', ofVictim],
  ['affinity', ofVictim],
  ['tcp', () => [served[0] ?? '']],
  ['listen'],
  ['udp', () => [served[1] ?? '']],
  ['unix', () => [socketOf('stream')]],
  ['abstract', () => [`kernloop-${process.pid}`]],
  ['pair-to-unix', () => [socketOf('datagram')]],
  ['pair'],
  ['netlink'],
  ['io-uring'],
  ['user-namespace'],
  ['clone-namespace'],
  ['clone3-namespace'],
  ['undumpable'],
  ['memfd'],
  ['shared-memory'],
  ['queue-of-messages'],
  ['keyring'],
  ['variable', () => ['SECRET']],
];

/** Tries that only root succeeds with outside. */
const triesOfRoot: Try[] = [
  ['node', () => [inside('node')]],
  ['mount', () => [inside()]],
  ['chroot', () => [inside()]],
  ['bpf'],
  ['perf'],
];

const environment = { ...process.env, SECRET: 'x' };

describe('a hostile program', () => {
  beforeEach(layOut);

  it.each([...tries, ...(isRoot ? triesOfRoot : [])])('gets nowhere with %s', (name, args = () => []) => {
    const open = spawnSync(hostile, [name, ...args()], { env: environment, encoding: 'utf8' });
    expect([name, open.status, open.stderr]).toEqual([name, 0, '']);
    rmSync(join(tmpdir(), `kernloop-new-${process.pid}`), { force: true });
    for (const abi of abis) {
      layOut();
      const before = [outside(), dirname(header())].map(filesOf);
      const held = spawnSync(sandbox, [...words(['--landlock-abi', `${abi}`]), name, ...args()], {
        env: environment,
        encoding: 'utf8',
      });
      expect([abi, held.status, held.stderr]).toEqual([abi, 1, expect.stringMatching(new RegExp(`^${name}: `))]);
      expect([outside(), dirname(header())].map(filesOf)).toEqual(before);
    }
  });

  it('inherits no descriptor and no input', () => {
    const file = openSync(outside('capture.json'), 'r');
    const run = (program: string, args: string[]): (number | null)[] =>
      [
        [...args, 'descriptor', '3'],
        [...args, 'input'],
      ].map((all) => spawnSync(program, all, { stdio: [file, 'pipe', 'pipe', file] }).status);
    expect(run(hostile, [])).toEqual([0, 0]);
    expect(run(sandbox, words())).toEqual([1, 1]);
  });

  it('leaves no folder that its owner cannot empty', () => {
    expect(spawnSync(hostile, ['closed-folder', outside('closed')]).status).toBe(0);
    expect(modeOf(outside('closed'))).toBe(0o300);
    chmodSync(outside('closed'), 0o700);
    expect(spawnSync(sandbox, [...words(), 'closed-folder', inside('closed')]).status).toBe(0);
    expect(modeOf(inside('closed'))).toBe(0o700);
  });

  it('does in its own folder what compilers do', () => {
    for (const [name, ...args] of [
      ['create', inside('new')],
      ['write', inside('new')],
      ['mkdir', inside('folder')],
      ['rename', inside('new'), inside('other')],
      ['unlink', inside('other')],
    ] as const)
      expect([name, spawnSync(sandbox, [...words(), name, ...args]).status]).toEqual([name, 0]);
    expect(readdirSync(inside()).sort()).toEqual(['folder', 'own']);
  });
});

const modeOf = (path: string): number => lstatSync(path).mode & 0o777;

/** Names, modes, times and contents. */
function filesOf(path: string): unknown[] {
  return readdirSync(path).map((name) => {
    const { mode, nlink, mtimeMs, ctimeMs } = lstatSync(join(path, name));
    return [name, mode, nlink, mtimeMs, ctimeMs, readFileSync(join(path, name), 'utf8')];
  });
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds(); ++waited) {
    if (waited > 2000) throw new Error('it never came');
    await sleep(10);
  }
}

/** Processes of the hostile program, but for the victim. */
function left(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return Number(pid) !== victim.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(hostile);
    } catch {
      return false;
    }
  });
}

/** The only child of a process. */
function childOf(parent: number | undefined): number {
  const [child] = readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/status`, 'utf8').includes(`\nPPid:\t${parent}\n`);
    } catch {
      return false;
    }
  });
  return Number(child);
}

describe('what a program started', () => {
  beforeEach(layOut);

  it('is ended with it, also a daemon', async () => {
    expect(spawnSync(hostile, ['survive', inside('free')]).status).toBe(0);
    await until(() => existsSync(inside('free')));
    expect(spawnSync(sandbox, [...words(), 'survive', inside('held')]).status).toBe(0);
    expect(left()).toEqual([]);
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)('is ended if the sandbox gets %s', async (signal) => {
    const running = spawn(sandbox, [...words(), 'linger', inside('started')], { stdio: 'ignore' });
    await until(() => existsSync(inside('started')));
    running.kill(signal);
    await until(() => left().length === 0);
  });

  it('is ended if the supervisor is killed, and the caller is told', async () => {
    const running = spawn(sandbox, [...words(), 'linger', inside('started')], { stdio: 'ignore' });
    const ended = new Promise((resolve) => running.once('exit', resolve));
    await until(() => existsSync(inside('started')));
    process.kill(childOf(running.pid), 'SIGKILL');
    expect(await ended).toBe(5);
    expect(left()).toEqual([]);
  });

  it('cannot be more than the limit says, threads and those that ended counted', () => {
    const few = ['--limit-processes', '20'];
    for (const name of ['processes-at-once', 'zombies', 'threads']) {
      expect(spawnSync(hostile, [name, '50'], { encoding: 'utf8' })).toMatchObject({
        status: 0,
        stderr: '50 at once\n',
      });
      const held = spawnSync(sandbox, [...words(few), name, '50', 'kept'], { encoding: 'utf8' });
      expect(held.stderr).toContain('19 at once');
      expect(held.stderr).toContain('Resource temporarily unavailable');
      expect(held.status).toBe(1);
    }
    expect(left()).toEqual([]);
  });

  it('is ended, a fork bomb too', () => {
    const held = spawnSync(sandbox, [...words(['--limit-processes', '50']), 'bomb', '500']);
    expect(held.status).toBe(0);
    expect(left()).toEqual([]);
  });
});

describe('a limit', () => {
  beforeEach(layOut);
  const megabytes = (count: number): string => `${count * 2 ** 20}`;
  const run = (options: string[], ...rest: string[]) =>
    spawnSync(sandbox, [...words(options), ...rest], { encoding: 'utf8' });

  it('of memory holds for a process, and for all together', () => {
    expect(run([], 'memory', megabytes(200)).status).toBe(0);
    expect(run(['--limit-memory-bytes', megabytes(100)], 'memory', megabytes(200))).toMatchObject({
      status: 1,
      stderr: 'memory: Cannot allocate memory\n',
    });
    expect(run(['--limit-memory-bytes', megabytes(100)], 'memory', megabytes(50)).status).toBe(0);
    const several = ['memory-of-several', megabytes(50)] as const;
    expect(run(['--limit-memory-bytes', megabytes(400)], ...several).status).toBe(0);
    expect(run(['--limit-memory-bytes', megabytes(100)], ...several)).toMatchObject({
      status: 1,
      stderr: `kernloop-sandbox: error: the program used more than ${megabytes(100)} bytes of memory\n`,
    });
  });

  it('of memory leaves out what threads reserve and do not use: a linker starts one for each processor', () => {
    const reserved = (cpus().length + 1) * 72;
    expect(run(['--limit-memory-bytes', megabytes(50)], 'reserve', megabytes(reserved))).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(run(['--limit-memory-bytes', megabytes(50)], 'reserve', megabytes(100 * reserved)).status).toBe(1);
  });

  it('of a file holds', () => {
    expect(run([], 'large', inside('large')).status).toBe(0);
    rmSync(inside('large'));
    const held = run(['--limit-file-bytes', megabytes(1)], 'large', inside('large'));
    expect(held).toMatchObject({ status: 1, stderr: 'large: File too large\n' });
  });

  it.each([
    ['files', ['many-files', 'FOLDER', '30']],
    ['removed files that are open', ['many-files', 'FOLDER', '30', 'removed']],
    ['files deeper than a path can be', ['deep', 'FOLDER', '30']],
  ])('of disk space holds for %s', (_files, [name = '', , ...rest]) => {
    expect(run(['--limit-folder-bytes', megabytes(100)], name, inside(), ...rest)).toMatchObject({
      status: 0,
      stderr: '',
    });
    execFileSync('rm', ['-rf', inside()]);
    layOut();
    expect(run(['--limit-folder-bytes', megabytes(10)], name, inside(), ...rest)).toMatchObject({
      status: 1,
      stderr: `kernloop-sandbox: error: the program's files have more than ${megabytes(10)} bytes\n`,
    });
    execFileSync('rm', ['-rf', inside()]);
  });

  it('of CPU time ends the program by the signal that others see', () => {
    expect(run(['--limit-cpu-seconds', '1'], 'spin').signal).toMatch(/SIGKILL|SIGXCPU/);
  });
});

describe('the program', () => {
  beforeEach(layOut);

  it('ends as it ends outside: exit code, signal, missing program', () => {
    const run = (...command: string[]) =>
      spawnSync(sandbox, [...words().slice(0, -1), ...command], { encoding: 'utf8' });
    expect(run('sh', '-c', 'echo out; echo err >&2; exit 7')).toMatchObject({
      status: 7,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    expect(run('sh', '-c', 'ulimit -c 0; kill -SEGV $$; sleep 1').signal).toBe('SIGSEGV');
    expect(run('no-such-program')).toMatchObject({
      status: 127,
      stderr: expect.stringContaining('no-such-program') as string,
    });
    expect(run(outside('program'))).toMatchObject({
      status: 126,
      stderr: expect.stringContaining('Permission denied') as string,
    });
  });

  it.each([
    ...['landlock_create_ruleset', 'landlock_add_rule', 'landlock_restrict_self', 'seccomp', 'capset', 'prctl'],
    ...['close_range', 'setsid', 'prlimit64:when=3+', 'sendmsg', 'signalfd4', 'socketpair', 'pipe2', 'getdents64'],
  ])('is not started if the kernel refuses %s', (call) => {
    const [name = '', ...when] = call.split(':');
    const traced = ['-f', '-qq', '-o', '/dev/null', '-e', `inject=${[name, 'error=EPERM', ...when].join(':')}`];
    const held = spawnSync('strace', [...traced, sandbox, ...words(), 'create', inside('new')], { encoding: 'utf8' });
    expect(held).toMatchObject({ status: 5, stderr: expect.stringContaining('kernloop-sandbox: error: ') as string });
    expect(existsSync(inside('new'))).toBe(false);
  });

  it('is not started if a folder is missing, or an option is unknown', () => {
    const run = (...args: string[]) => spawnSync(sandbox, args, { encoding: 'utf8' });
    expect(run('--read', outside('missing'), '--', 'true')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('missing') as string,
    });
    expect(run('--reed', '/', '--', 'true')).toMatchObject({
      status: 2,
      stdout: expect.stringContaining('USAGE') as string,
    });
    expect(run('--read', '/').status).toBe(2);
    expect(run('--limit-processes', '0', '--', 'true').status).toBe(2);
  });
});
