import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Device } from '../device/device';
import type { Deps } from '../deps/deps';
import type { ErrorCode } from '../support/error-codes';
import type { App } from './app';
import { appVariables } from './variables';

/** Reason why the capture agent would not be loaded into the app, as far as it shows before the app runs. */
export interface LaunchObstacle {
  code: ErrorCode;
  what: string;
  hint: string;
}

export const passEnvironmentOn =
  'pass the environment on (`sudo -E`, `env` without -i, `docker run --env`): at least LD_LIBRARY_PATH, HSA_TOOLS_LIB, ROCP_TOOL_LIBRARIES, CUDA_INJECTION64_PATH and KERNLOOP_*; or make the program itself the "command" of kernloop.json';

export async function launchObstacles(
  app: App,
  program: string,
  device: Device,
  deps: Deps,
): Promise<LaunchObstacle[]> {
  return [
    ...programObstacles(program),
    ...wrapperObstacles(app, program),
    ...(await runtimeObstacles(app, program, device, deps)),
  ];
}

/** The loader ignores our variables for such a program, or there is no loader. */
function programObstacles(program: string): LaunchObstacle[] {
  if (isStatic(readHead(program))) {
    const what = `${program} is statically linked: no library can be loaded into it`;
    return [
      {
        code: 'APP_STATIC',
        what,
        hint: 'link the program dynamically, or name the program that uses the GPU if this one only starts it',
      },
    ];
  }
  if ((modeOf(program) & 0o6000) === 0) return [];
  const what = `${program} has the set-user-id or set-group-id bit: the loader ignores LD_LIBRARY_PATH for it`;
  return [{ code: 'APP_ENVIRONMENT_DROPPED', what, hint: 'run a copy of the program without the bit' }];
}

const pause = String.raw`[\s'"]`;

/** Programs that change the environment of their children, unless an option (`kept`) keeps it. */
const wrappers: readonly { name: string; pattern: RegExp; kept?: RegExp }[] = [
  {
    name: '`env -i`',
    pattern: new RegExp(
      `\\benv(?:${pause}+(?:-[uC]${pause}+\\S+|-\\S+|\\w+=\\S*))*?${pause}+(?:-i|--ignore-environment|-)${pause}`,
    ),
  },
  { name: 'sudo', pattern: new RegExp(`\\bsudo${pause}`), kept: /\s-\w*E\b|--preserve-env/ },
  { name: '`su -`', pattern: new RegExp(`\\bsu${pause}+(?:-|-l|--login)${pause}`) },
  { name: 'runuser -l', pattern: new RegExp(`\\brunuser${pause}+(?:-|-l|--login)${pause}`) },
  { name: 'doas', pattern: new RegExp(`\\bdoas${pause}`) },
  { name: 'pkexec', pattern: new RegExp(`\\bpkexec${pause}`) },
  { name: 'systemd-run', pattern: new RegExp(`\\bsystemd-run${pause}`) },
  { name: 'a container', pattern: new RegExp(`\\b(?:docker|podman|nerdctl)${pause}+(?:run|exec|compose)${pause}`) },
  { name: 'ssh', pattern: new RegExp(`\\bssh${pause}`) },
];

function wrapperObstacles(app: App, program: string): LaunchObstacle[] {
  const command = `${app.config.command.join(' ')} `;
  const script = readHead(program);
  const texts = [
    { where: 'the command', text: command },
    ...(script.subarray(0, 2).toString() === '#!'
      ? [{ where: program, text: withoutComments(script.toString()) }]
      : []),
  ];
  return texts.flatMap(({ where, text }) =>
    wrappers
      .filter(({ pattern, kept }) => pattern.test(text) && !kept?.test(text))
      .map(({ name }) => ({
        code: 'APP_ENVIRONMENT_DROPPED' as const,
        what: `${where} of ${app.config.name} goes through ${name}, which does not pass the environment on`,
        hint: passEnvironmentOn,
      })),
  );
}

function withoutComments(script: string): string {
  return script.replaceAll(/^\s*#.*$/gm, '');
}

/** A library path built into the program takes precedence over LD_LIBRARY_PATH. */
async function runtimeObstacles(app: App, program: string, device: Device, deps: Deps): Promise<LaunchObstacle[]> {
  const { runtime } = device;
  if (runtime === null) return [];
  const name = basename(runtime).replace(/\.so\b.*$/, '.so');
  const lines: string[] = [];
  const env = appVariables(app, device, deps);
  await deps.run('ldd', [program], { env, onStdoutLine: (line) => lines.push(line), timeoutMs: 30_000 }).result;
  const found = lines
    .map((line) => (line.trim().startsWith(name) ? / => (\/\S+)/.exec(line)?.[1] : undefined))
    .find((path) => path !== undefined);
  if (found === undefined || sameFile(found, runtime)) return [];
  return [otherRuntime(`${program} is linked to ${found}`)];
}

export function otherRuntime(what: string): LaunchObstacle {
  return {
    code: 'RUNTIME_OTHER',
    what: `${what}, not to the software GPU`,
    hint: 'a path built into the program or into one of its libraries (RPATH, dlopen of a full path) comes before LD_LIBRARY_PATH: build without it, or use "device": "hsa" on a machine with an AMD GPU',
  };
}

export function sameFile(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return one === other;
  }
}

const headBytes = 64 * 1024;

function readHead(path: string): Buffer {
  try {
    const file = openSync(path, 'r');
    try {
      const head = Buffer.alloc(headBytes);
      return head.subarray(0, readSync(file, head, 0, headBytes, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

function modeOf(path: string): number {
  try {
    return statSync(path).mode;
  } catch {
    return 0;
  }
}

const programInterpreter = 3;

/** An executable ELF file of 64 bits without an interpreter (the dynamic loader). */
export function isStatic(head: Buffer): boolean {
  if (head.length < 64 || head.readUInt32BE(0) !== 0x7f454c46 || head[4] !== 2) return false;
  const [table, size, count] = [head.readBigUInt64LE(32), head.readUInt16LE(54), head.readUInt16LE(56)];
  for (let i = 0; i < count; i += 1) {
    const at = Number(table) + i * size;
    if (at + 4 > head.length) return false;
    if (head.readUInt32LE(at) === programInterpreter) return false;
  }
  return count > 0;
}
