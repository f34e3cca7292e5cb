import { createInterface } from 'node:readline/promises';
import { detectPackageManager, getPackageManagerCommand, type Tree } from 'nx/src/devkit-exports';
import { KernloopError } from '../lib/support/error';

/** Asks somebody at a terminal: gives one of the choices, or what was typed instead. */
export type Ask = (question: string, choices: readonly string[]) => Promise<string>;

/** Nobody where Nx asks nothing either: no terminal, a CI, `--no-interactive`. */
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

/** How this workspace calls Nx, to be pasted. */
export function nxCommand(tree: Tree, args: string): string {
  return `${getPackageManagerCommand(detectPackageManager(tree.root)).exec} nx ${args}`;
}

/** The same for a verb of Kernloop. */
export function verbCommand(tree: Tree, args: string): string {
  return `${getPackageManagerCommand(detectPackageManager(tree.root)).exec} kernloop ${args}`;
}

/** Nx prints the message of an error and nothing else of it; what to do next belongs to ours. */
export async function withHint<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof KernloopError)) throw error;
    throw new Error(`${error.code}: ${error.what}\n${error.hint}`, { cause: error });
  }
}
