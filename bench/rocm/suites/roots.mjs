// Roots of Debian releases: made by debootstrap, filled by apt, entered in namespaces of their own.
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StepError } from '../../../tools/console.mjs';

/** Refuses before anything is made. */
export function requireRoot() {
  if (process.getuid() !== 0) throw new StepError('this makes and enters roots: it has to be root', 'sudo node …', 5);
  for (const program of ['debootstrap', 'unshare', 'choom'])
    if (spawnSync('which', [program]).status !== 0)
      throw new StepError(`${program} is missing`, `apt-get install debootstrap util-linux`, 5);
}

/** Programs that run now. `stopAll` ends each with everything that it started, and with its mounts. */
const running = new Set();
export function stopAll() {
  for (const child of running) child.kill('SIGKILL');
}

/**
 * Starts a command in `root`, with `mounts` ([outside, inside, 'ro' or 'rw']). Its mount and PID namespaces end with it, and it ends with this
 * script, whatever ends this script: no mount and no process is left behind.
 */
export function enter(root, command, { mounts = [], env = {}, merged = false } = {}) {
  const bind = mounts.map(([outside, inside, mode]) => {
    const at = join(root, inside);
    mkdirSync(at, { recursive: true });
    return `mount --bind '${outside}' '${at}' && mount -o remount,bind,${mode} '${at}'`;
  });
  const mounted = ['mount --rbind /dev "$0/dev"', 'mount -t proc proc "$0/proc"', ...bind].join(' && ');
  // The shell stays: as process 1 of its namespace the command would not die of its own abort().
  const script = `${mounted} && { chroot "$@"${merged ? ' 2>&1' : ''}; exit $?; }`;
  const certificates = existsSync(join(root, inRoot)) ? { SSL_CERT_FILE: inRoot, CURL_CA_BUNDLE: inRoot } : {};
  const variables = { HOME: '/root', PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8', ...certificates, ...env };
  const settings = Object.entries(variables).map((pair) => pair.join('='));
  return contained(['sh', '-c', script, root, root, '/usr/bin/env', '-i', ...settings, ...command]);
}

/** If memory runs out, the kernel takes it from these programs. */
function contained(command) {
  const namespaces = ['unshare', '--mount', '--pid', '--fork', '--kill-child'];
  const child = spawn('choom', ['-n', '1000', '--', 'setpriv', '--pdeathsig', 'KILL', ...namespaces, ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

/** Its exit code, and stdout and stderr as they came. */
export function ended(child) {
  return new Promise((resolve, reject) => {
    let text = '';
    let out = '';
    child.stdout.on('data', (data) => ((text += String(data)), (out += String(data))));
    child.stderr.on('data', (data) => (text += String(data)));
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, text, out }));
  });
}

const inRoot = '/etc/host-certificates.pem';

/** The mirror of this machine's own apt sources. */
export function mirrorOf(etc = '/etc/apt') {
  const folder = join(etc, 'sources.list.d');
  const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  for (const file of [...files, join(etc, 'sources.list')].filter(existsSync)) {
    const found = /^(?:URIs:\s*|deb\s+(?:\[[^\]]*\]\s+)?)(\S+)/m.exec(readFileSync(file, 'utf8'));
    if (found) return found[1];
  }
  throw new StepError('the apt sources of this machine name no mirror', 'give one by --mirror', 5);
}

/** Copies apt's settings for fetching, name resolution and certificates, so that it reaches the mirror. Hooks of this machine stay out. */
function copyAccess(root) {
  const settings = '/etc/apt/apt.conf.d';
  for (const name of existsSync(settings) ? readdirSync(settings) : []) {
    const text = readFileSync(join(settings, name), 'utf8');
    if (/^\s*Acquire\b/m.test(text)) writeFileSync(join(root, settings, name), text);
  }
  copyFileSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'));
  const certificates = process.env.SSL_CERT_FILE;
  if (certificates) copyFileSync(certificates, join(root, inRoot));
}

async function must(child, what, hint) {
  const { code, text } = await ended(child);
  if (code !== 0) throw new StepError(`${what} failed:\n${text.trimEnd().split('\n').slice(-8).join('\n')}`, hint);
}

/** The root in `folder`, from nothing. A half of one, of a run that was stopped, is removed. */
export async function makeRoot(folder, release, mirror) {
  const root = join(folder, 'root');
  const made = join(folder, 'root.made');
  if (existsSync(made)) return root;
  rmSync(root, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const child = contained(['debootstrap', '--variant=minbase', '--include=ca-certificates', release, root, mirror]);
  await must(child, `debootstrap ${release}`, `look at ${root}/debootstrap`);
  copyAccess(root);
  // Nobody needs the root after a power failure: a third of the time of dpkg is waiting for the disk.
  writeFileSync(join(root, 'etc/dpkg/dpkg.cfg.d/kernloop'), 'force-unsafe-io\n');
  await must(enter(root, ['apt-get', 'update', '-q']), 'apt-get update', 'see above');
  writeFileSync(made, '');
  return root;
}

/** The reasons that apt gives, one line: the dependencies that no package satisfies, else its errors. */
export function aptReasons(text) {
  const lines = text.split('\n').map((line) => line.trim());
  const unmet = lines.filter((_, index) => /^but none of the choices are installable/.test(lines[index + 1] ?? ''));
  const missing = lines.filter((line) => /not installable$/.test(line));
  const reasons = [...unmet.map((line) => `${line.replace(/^\d+\. /, '')}, which no package satisfies`), ...missing];
  const errors = lines.filter((line) => line.startsWith('E: ')).map((line) => line.slice(3));
  const told = reasons.length > 0 ? reasons.slice(0, 1) : errors;
  return told.join('; ') || 'apt-get gave no reason';
}

/**
 * Installs the packages that match the patterns: { packages: { name: version } } or { missing: why }. The answer is kept in the folder: what is
 * there is not asked for again.
 */
export async function installSuite(folder, suite, patterns) {
  const root = join(folder, 'root');
  const kept = join(folder, 'installed', `${suite}.json`);
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8'));
  const answer = await install(root, patterns);
  mkdirSync(join(folder, 'installed'), { recursive: true });
  writeFileSync(kept, `${JSON.stringify(answer)}\n`);
  return answer;
}

async function install(root, patterns) {
  const names = [];
  for (const pattern of patterns) {
    const { out } = await ended(enter(root, ['apt-cache', 'search', '--names-only', `^${pattern}$`]));
    const found = out
      .split('\n')
      .map((line) => line.split(' ')[0])
      .filter(Boolean)
      .sort();
    if (found.length === 0) return { missing: `no package ${pattern}` };
    names.push(found.at(-1));
  }
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const got = await ended(
    enter(root, ['apt-get', 'install', '-y', '-q', '--no-install-recommends', ...names], { env }),
  );
  if (got.code !== 0) return { missing: `${names.join(', ')} cannot be installed: ${aptReasons(got.text)}` };
  await ended(enter(root, ['apt-get', 'clean']));
  return { packages: pick(await versionsIn(root), (name) => names.includes(name)) };
}

const pick = (object, wanted) => Object.fromEntries(Object.entries(object).filter(([name]) => wanted(name)));

/** All packages of the root, by name. */
export async function versionsIn(root) {
  const { out } = await ended(enter(root, ['dpkg-query', '-W', '-f', '${Package} ${Version}\\n']));
  return Object.fromEntries(
    out
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' ')),
  );
}

/** The versions that results depend on: ROCm's libraries and what they are tested with. */
export async function rocmVersions(root) {
  const ours = /^lib(?:amdhip|hsa|hip|roc|rccl|miopen|magma|ggml|llama|amd-?comgr)|^(?:llama\.cpp|hipcc|rocm)/;
  return pick(await versionsIn(root), (name) => ours.test(name));
}
