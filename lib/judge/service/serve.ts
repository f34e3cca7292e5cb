import { mkdirSync } from 'node:fs';
import type { Deps } from '../../deps/deps';
import { takeFreeLock } from '../../deps/lock';
import { KernloopError } from '../../support/error';
import { confinement } from '../confinement';
import { homeFolder } from '../home';
import { Judge } from '../judge';
import { addressText, isLoopback, parseAddress, type Address } from './address';
import { JudgeServer } from './http';
import { senderLimits, type ServiceOptions } from './options';
import { nameFolders, removeLeftFolders } from './left-folders';
import { judgeLines, type Streams } from './stdio';
import { noTokens, ownToken, tokensIn, type Tokens } from './tokens';

/** Judges what it is sent, until it is ended. Candidates that it accepted and did not judge stay for the next one. */
export async function serveJudge(options: ServiceOptions, deps: Deps, streams: Streams): Promise<void> {
  const { serve, stdio } = options;
  if ((serve === undefined) !== stdio) {
    throw new KernloopError(
      'USAGE',
      'a judge has either an address or stdio',
      'name one of --serve ADDRESS and --stdio',
    );
  }
  const address = serve === undefined ? null : parseAddress(serve);
  const confine = await confinement(options, deps);
  await withHome(options, deps, async (home) => {
    const tokens = address && tokensOf(options, address, home, deps);
    removeLeftFolders(home);
    const limits = tokens === null ? undefined : senderLimits(options, tokens.groups);
    const judge = await Judge.open(options, confine, deps, { ...(limits && { limits }) });
    try {
      nameFolders(home, judge.folders());
      if (!address || !tokens) return await judgeLines(judge, streams, deps);
      await listening(new JudgeServer({ judge, tokens, address, isSandboxed: confine !== null }), judge, deps);
    } finally {
      await judge.close();
    }
  });
}

async function listening(server: JudgeServer, judge: Judge, deps: Deps): Promise<void> {
  const address = await server.listen();
  try {
    const names = judge.kernels().map(({ name }) => name);
    const before = judge.resume();
    if (before > 0) deps.report.info(`${before} candidates of the judge before wait`);
    deps.report.result(`judging ${names.join(', ')} at ${addressText(address)}`);
    await aborted(deps.signal);
  } finally {
    await server.close();
  }
}

function tokensOf({ tokens }: ServiceOptions, address: Address, home: string, deps: Deps): Tokens {
  if (address.kind === 'tcp' && !isLoopback(address))
    deps.report.warn(`${address.host} can be reached from outside, in clear text: put a proxy with TLS before it`);
  if (tokens !== undefined) return tokensIn(tokens);
  if (address.kind === 'socket') return noTokens;
  const own = ownToken(home);
  deps.report.info(`the token is in ${own.file}`);
  return own.tokens;
}

/** Two judges of one home would judge what they find there twice. */
async function withHome(options: ServiceOptions, deps: Deps, work: (home: string) => Promise<void>): Promise<void> {
  const home = homeFolder(options.home, deps.env);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const lock = await takeFreeLock(home, deps);
  if (lock === 'taken') throw new KernloopError('JUDGE_RUNNING', `another judge serves ${home}`, '');
  if ('refused' in lock) throw new KernloopError('FILE_UNREADABLE', `${home}: ${lock.refused}`, '');
  try {
    await work(home);
  } finally {
    await lock.release();
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
