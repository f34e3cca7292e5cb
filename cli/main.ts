import { Command, CommanderError } from 'commander';
import type { Deps } from '../lib/deps/deps';
import { errorDocument } from '../lib/stages/documents';
import { isStageName, stageNames, stageSummaries, type StageName } from '../lib/stages/registry';
import { KernloopError, messageOf, systemCode } from '../lib/support/error';
import { exitCodes } from '../lib/support/error-codes';
import { version } from '../lib/support/version';
import { printJson } from './print-json';

/** Loaded for the verb that is meant: `kernloop --help` names all of them and needs none. */
const verbs = () => require('./verb') as typeof import('./verb');

/** `kernloop <verb>`; sets the exit code of the process. */
export async function main(argv: readonly string[], overrides: Partial<Deps> = {}): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.listeners('error').includes(ignoreClosedPipe)) stream.on('error', ignoreClosedPipe);
  }
  try {
    const named = argv.slice(2).filter((word): word is StageName => isStageName(word));
    await program(named, overrides).parseAsync(argv);
  } catch (error) {
    process.exitCode = fail(error, argv);
  }
}

/** Whoever reads (`| head`) may stop; the stage goes on, and its exit code stays true. */
function ignoreClosedPipe(error: Error): void {
  if (systemCode(error) !== 'EPIPE') throw error;
}

/** With the options of the named verbs. */
function program(named: readonly StageName[], overrides: Partial<Deps>): Command {
  const command = new Command('kernloop')
    .description('Take one dispatch of one GPU kernel out of a running program, and answer every question about it.')
    .version(version)
    .exitOverride()
    .showHelpAfterError('(kernloop --help lists the verbs)')
    .configureOutput({ writeErr: () => undefined });
  for (const name of stageNames) {
    const verb = command.command(name).description(stageSummaries[name].summary).exitOverride();
    if (named.includes(name)) verbs().addVerb(verb, name, overrides);
    else verb.usage('[options]');
  }
  return command;
}

/** What every error looks like, and its exit code. */
function fail(error: unknown, argv: readonly string[]): number {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.pass;
  const known = asKernloopError(error);
  if (argv.includes('--json')) printJson(errorDocument(verbOf(argv), known));
  // A bug is worth its stack.
  const what = known === error || error instanceof CommanderError ? known.what : stackOf(error);
  process.stderr.write(`error: ${what} [${known.code}]\n${known.hint ? `  → ${known.hint}\n` : ''}`);
  return known.exitCode;
}

function asKernloopError(error: unknown): KernloopError {
  if (error instanceof KernloopError) return error;
  const cause = { cause: error };
  if (error instanceof CommanderError) {
    const what = error.message.replace(/^error: /, '');
    return new KernloopError('USAGE', what, 'see kernloop --help, or --help after the verb', cause);
  }
  return new KernloopError('INTERNAL_ERROR', messageOf(error), 'this is a bug in Kernloop: report it', cause);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
}

/** The verb that was meant, as far as there is one of that name. */
function verbOf(argv: readonly string[]): string | null {
  const word = argv.slice(2).find((argument) => !argument.startsWith('-'));
  return word !== undefined && isStageName(word) ? word : null;
}
