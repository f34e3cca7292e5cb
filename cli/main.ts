import { Command, CommanderError } from 'commander';
import type { Deps } from '../lib/deps/deps';
import { errorDocument } from '../lib/stages/documents';
import { stageNames, stageSummaries, verbGroups, verbWords, type StageName } from '../lib/stages/registry';
import { KernloopError, messageOf, nearest, systemCode } from '../lib/support/error';
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
    const named = stageNames.filter((name) => verbWords(name).every((word) => argv.includes(word, 2)));
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
  const groups = new Map<string, Command>();
  for (const name of stageNames) {
    const words = verbWords(name);
    const parent = words.length > 1 ? groupOf(command, words[0] ?? '', groups) : command;
    const verb = parent
      .command(words.at(-1) ?? name)
      .description(stageSummaries[name].summary)
      .exitOverride();
    if (named.includes(name)) verbs().addVerb(verb, name, overrides);
    else verb.usage('[options]');
  }
  return command;
}

/** The command that verbs of two words are commands of. */
function groupOf(command: Command, word: string, groups: Map<string, Command>): Command {
  const known = groups.get(word);
  if (known) return known;
  const group = command
    .command(word)
    .description(verbGroups[word] ?? '')
    .usage('<verb> [options]')
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  // Where no verb of the group is meant, it is a word of the group itself.
  group.argument('[verb]').action((verb: string | undefined) => {
    const known = group.commands.map((command) => command.name());
    const [suggestion] = verb === undefined ? [] : nearest(verb, known, 1);
    throw new KernloopError(
      'USAGE',
      verb === undefined
        ? `${word} needs a verb: ${known.join(', ')}`
        : `unknown verb ${word} ${verb}.${suggestion === undefined ? '' : ` Did you mean ${suggestion}?`}`,
      `see kernloop ${word} --help`,
    );
  });
  groups.set(word, group);
  return group;
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
  const words = argv.slice(2).filter((argument) => !argument.startsWith('-'));
  return stageNames.find((name) => verbWords(name).every((word, index) => words[index] === word)) ?? null;
}
