import { createInterface } from 'node:readline/promises';
import { detectPackageManager, getPackageManagerCommand, type Tree } from 'nx/src/devkit-exports';
import type { Ask } from '../lib/app/command';
import { KernloopError } from '../lib/support/error';

/** Undefined if Nx asks nothing either: without a terminal, in CI, with `--no-interactive`. */
export function askAtTerminal(env: NodeJS.ProcessEnv = process.env): Ask | undefined {
  const isCi = env['CI'] !== undefined && env['CI'] !== '' && env['CI'] !== 'false';
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  return isTerminal && !isCi && env['NX_INTERACTIVE'] === 'true' ? ask : undefined;
}

const ask: Ask = async (question, choices) => {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const list = choices.map((choice, index) => `  ${index + 1}  ${choice}\n`).join('');
    return answerTo(await terminal.question(`${list}${question}${list ? ' (number, or type it)' : ''} `), choices);
  } finally {
    terminal.close();
  }
};

function answerTo(typed: string, choices: readonly string[]): string {
  const answer = typed.trim();
  return choices[Number(answer) - 1] ?? answer;
}

/** Nx command of this workspace, for pasting. */
export function nxCommand(tree: Tree, args: string): string {
  return `${getPackageManagerCommand(detectPackageManager(tree.root)).exec} nx ${args}`;
}

/** Command of a Kernloop verb, for pasting. */
export function verbCommand(tree: Tree, args: string): string {
  return `${getPackageManagerCommand(detectPackageManager(tree.root)).exec} kernloop ${args}`;
}

/** Adds the hint to the message of our errors: Nx prints nothing else of an error. */
export async function withHint<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof KernloopError)) throw error;
    throw new Error(`${error.code}: ${error.what}\n${error.hint}`, { cause: error });
  }
}
