// `sudo node tools/check-devcontainer.mjs FOLDER`: executes .devcontainer on a bare Debian, without Docker
// (docs/contributing/robustness.md). debootstrap makes the root in FOLDER, which must not exist yet; it gets the
// image's user and its Node (this one), each RUN of the Dockerfile, a clone of HEAD, and postCreateCommand as the
// Dockerfile's last USER; then a verdict. FOLDER stays for inspection.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, runMain, step, StepError } from './console.mjs';

/**
 * Instructions with their text; lines that end with a backslash are joined. An unknown instruction is an error, never
 * left out.
 */
export function instructionsOf(text) {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  return lines.map((line) => {
    const [, name, rest] = /^([A-Za-z]+)\s+(.*)$/.exec(line) ?? [];
    const isShell = name === 'RUN' && !/^(?:\[|--)/.test(rest);
    const isPlain = (name === 'FROM' || name === 'USER') && /^[\w:./-]+$/.test(rest);
    if (!isShell && !isPlain)
      throw new StepError(
        `this line of the Dockerfile is not understood: ${line}`,
        'teach tools/check-devcontainer.mjs what it does',
        2,
      );
    return { name, text: rest };
  });
}

/** Parts of an image name such as "node:20-bookworm-slim". */
export function imageOf([first]) {
  const [, major, suite] = /^node:(\d+)-([a-z]+)-slim$/.exec(first?.text ?? '') ?? [];
  if (first?.name !== 'FROM' || suite === undefined)
    throw new StepError(
      `the Dockerfile begins with ${first?.name} ${first?.text}`,
      'an image node:<major>-<suite>-slim is expected',
      2,
    );
  return { major: Number(major), suite };
}

/** Copies the settings that the host needs to reach registries: names, certificates, settings of npm. */
function copyHost(folder) {
  for (const file of ['/etc/resolv.conf', '/etc/hosts']) copyFileSync(realpathSync(file), join(folder, file));
  const certificates = process.env.NODE_EXTRA_CA_CERTS ?? process.env.SSL_CERT_FILE;
  const inside = '/etc/host-certificates.pem';
  if (certificates) copyFileSync(certificates, join(folder, inside));
  const npm = dirname(dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())));
  mkdirSync(join(folder, 'usr/local/lib/node_modules'), { recursive: true });
  cpSync(npm, join(folder, 'usr/local/lib/node_modules/npm'), { recursive: true });
  copyFileSync(realpathSync(process.execPath), join(folder, 'usr/local/bin/node'));
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(folder, 'usr/local/bin', name));
  const settings = execFileSync('npm', ['config', 'get', 'globalconfig'], { encoding: 'utf8' }).trim();
  if (existsSync(settings)) {
    mkdirSync(join(folder, 'usr/local/etc'), { recursive: true });
    copyFileSync(settings, join(folder, 'usr/local/etc/npmrc'));
  }
  return certificates ? { NODE_EXTRA_CA_CERTS: inside, SSL_CERT_FILE: inside, npm_config_cafile: inside } : {};
}

async function check(folder) {
  const instructions = instructionsOf(readFileSync(join(root, '.devcontainer/Dockerfile'), 'utf8'));
  const { major, suite } = imageOf(instructions);
  const { postCreateCommand } = JSON.parse(readFileSync(join(root, '.devcontainer/devcontainer.json'), 'utf8'));
  if (!process.version.startsWith(`v${major}.`))
    throw new StepError(`this is Node ${process.version}, the image has ${major}`, `run it with Node ${major}`, 5);
  if (existsSync(folder)) throw new StepError(`${folder} is there already`, 'name a folder that is not', 2);
  const mirror = process.env.KERNLOOP_DEBIAN_MIRROR ?? 'http://deb.debian.org/debian';
  await step('debootstrap', 'debootstrap', ['--variant=minbase', suite, folder, mirror]);
  const host = copyHost(folder);
  const proxies = Object.entries(process.env).filter(([name]) => /^(?:https?|no)_proxy$/i.test(name));
  let user = 'root';
  // Runs in a new mount namespace: in any case, nothing of the host stays mounted below FOLDER.
  const inside = (name, command, cwd = '/') =>
    step(name, 'unshare', [
      ...['--mount', '--pid', '--fork', 'sh', '-c'],
      'mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$@"',
      ...[folder, `--userspec=${user}:`, folder, '/usr/bin/env', '-i'],
      ...['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'LANG=C.UTF-8', 'CI=1'],
      ...[`HOME=${user === 'root' ? '/root' : `/home/${user}`}`],
      ...[...proxies, ...Object.entries(host)].map(([key, value]) => `${key}=${value}`),
      ...['/bin/sh', '-c', `cd ${cwd} && ${command}`],
    ]);
  await inside('the user of the image', 'useradd --create-home --shell /bin/bash --uid 1000 node');
  for (const [index, { name, text }] of instructions.entries()) {
    if (name === 'USER') user = text;
    if (name === 'RUN') await inside(`RUN, line ${index + 1}`, text);
  }
  const checkout = '/workspaces/kernloop';
  execFileSync('git', ['clone', '--quiet', root, join(folder, checkout)]);
  writeFileSync(join(folder, 'etc/kernloop-commit'), execFileSync('git', ['-C', root, 'rev-parse', 'HEAD']));
  execFileSync('chroot', [folder, 'chown', '-R', `${user}:`, checkout]);
  await inside('postCreateCommand', postCreateCommand, checkout);
  const verdict = await inside('a verdict', 'npx nx run batched-scale-scale_batch:validate --skipNxCache', checkout);
  if (!verdict.tail.some((line) => line.startsWith('Result: PASS')))
    throw new StepError('the last command printed no "Result: PASS"', `look around in ${folder}`);
  console.log('\nThe development container: every line of the Dockerfile ran, and its kernel passed.');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await runMain(async () => {
    const [folder, ...more] = process.argv.slice(2);
    if (folder === undefined || more.length > 0)
      throw new StepError('FOLDER is missing', 'sudo node tools/check-devcontainer.mjs /var/tmp/bare', 2);
    await check(resolve(folder));
  });
}
