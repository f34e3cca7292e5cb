import { statSync } from 'node:fs';
import { Command, CommanderError, Help } from 'commander';
import type { Deps } from '../lib/deps/deps';
import { errorDocument } from '../lib/stages/documents';
import { formerVerbs } from '../lib/stages/former-verbs';
import { stageNames, stageSummaries, verbGroups, verbWords, type StageName } from '../lib/stages/registry';
import { unknownVariables } from '../lib/stages/unknown-variables';
import type { Environment } from '../lib/support/environment';
import { asKernloopError, closest, errorText, isBug, KernloopError, messageOf, systemCode } from '../lib/support/error';
import { commandText } from '../lib/support/command-text';
import { exitCodes } from '../lib/support/error-codes';
import { liveLine } from '../lib/support/live-line';
import { kernloopFile } from '../lib/support/project-file-names';
import { consoleReporter } from '../lib/support/report';
import { eventReporter, wantsEvents } from '../lib/support/report-events';
import { saidLines } from '../lib/support/said-once';
import { asTyped } from '../lib/support/typed-command';
import { version } from '../lib/support/version';
import { findUpward } from '../lib/support/workspace-root';
import { printJson } from './print-json';

/** Loaded only for the requested verb: `kernloop --help` lists all verbs and loads none. */
const verbs = () => require('./verb') as typeof import('./verb');
const mcp = () => require('./mcp/serve') as typeof import('./mcp/serve');

const watching = () => require('./watch') as typeof import('./watch');
const judging = () => require('./judge-service') as typeof import('./judge-service');
const jobs = () => require('../lib/stages/job') as typeof import('../lib/stages/job');

/** `kernloop <verb>`; sets the exit code of the process. */
export async function main(argv: readonly string[], overrides: Partial<Deps> = {}): Promise<void> {
  process.exitCode = await exitCodeOf(argv, overrides);
}

/** Runs a verb without ending the process; returns the exit code. */
export async function exitCodeOf(argv: readonly string[], overrides: Partial<Deps> = {}): Promise<number> {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.listeners('error').includes(ignoreClosedPipe)) stream.on('error', ignoreClosedPipe);
  }
  saidLines.forget();
  let command = new Command('kernloop');
  try {
    // Internal: lib/slurm starts this on a node.
    if (argv[2] === '--slurm-job') return await jobs().doJob(argv[3] ?? '');
    const { own, trailing } = splitAtDashes(argv);
    const named = stageNames.filter((name) => verbWords(name).every((word) => own.includes(word, 2)));
    let exitCode: number = exitCodes.pass;
    const isService = named.includes('judge') && own.some((word) => /^--(serve(=|$)|stdio$)/.test(word));
    const listed = asksForAllVerbs(argv) ? 'all' : 'first';
    command = program(named, listed, trailing, overrides, (code) => (exitCode = code), isService);
    await command.parseAsync(argv.length > 2 ? own : [...argv, '--help']);
    return exitCode;
  } catch (error) {
    return fail(error, argv, command);
  }
}

/** The words of the command line, and those after `--` if they are an option of their own. */
function splitAtDashes(argv: readonly string[]): { own: readonly string[]; trailing: readonly string[] } {
  const verb = verbOf(argv);
  const at = argv.indexOf('--');
  if (at >= 0 && verb === 'capture') {
    throw new KernloopError(
      'USAGE',
      'capture takes no program after --: it runs the one that kernloop.json names',
      `\`${extraction(argv.slice(3, at), argv.slice(at + 1))}\` captures from that program` +
        (argv.slice(3, at).some((word) => word.startsWith('--output')) ? ', into a project: it has no --output' : '') +
        (findUpward(process.cwd(), kernloopFile) === undefined
          ? ''
          : '; without the program, capture takes a kernel that kernloop.json declares'),
    );
  }
  if (at < 0 || verb === null || stageSummaries[verb].trailing === undefined) return { own: argv, trailing: [] };
  if (at === argv.length - 1) {
    throw new KernloopError('USAGE', 'no program follows --', `write it there: kernloop ${verb} -- ./demo args`);
  }
  return { own: argv.slice(0, at), trailing: argv.slice(at + 1) };
}

/** The command that captures a kernel of a program without kernloop.json: `extract` has few options of `capture`. */
function extraction(options: readonly string[], program: readonly string[]): string {
  const at = options.findIndex((word) => /^(?:--match|--kernel|-k)(?:=|$)/.test(word));
  const [, own] = /=(.*)/s.exec(options[at] ?? '') ?? [];
  const name = at < 0 ? undefined : (own ?? options[at + 1]);
  const selection = name === undefined ? [] : ['-k', name];
  return commandText(['kernloop', 'extract', ...selection, '--', ...(program.length > 0 ? program : ['./demo'])]);
}

/** A reader (`| head`) may stop; the stage continues, and its exit code stays true. */
function ignoreClosedPipe(error: Error): void {
  if (systemCode(error) !== 'EPIPE') throw error;
}

const start = `Start with a program of your own, in any folder:
  kernloop profile -- ./demo args            ranks the kernels that it launches
  kernloop extract -k NAME -- ./demo args    makes one of them a project: its source, and its memory before and after
  kernloop validate kernels/demo/NAME        after an edit of kernel_variant.*: is it still right?
`;

/** Verbs of the short help: most people need no others. */
const firstVerbs: readonly string[] = [
  ...['init', 'kernels', 'profile', 'declare', 'capture', 'extract', 'recompile', 'replay', 'validate'],
  ...['tune', 'trace', 'report', 'watch', 'doctor', 'mcp', 'help'],
];

const asksForAllVerbs = (argv: readonly string[]): boolean =>
  argv.includes('--all') && (argv[2] === 'help' || argv.includes('--help'));

/** The command line with the options of the named verbs. Help lists the first verbs, or all. */
function program(
  named: readonly StageName[],
  listed: 'first' | 'all',
  trailing: readonly string[],
  overrides: Partial<Deps>,
  ended: (exitCode: number) => void,
  isService: boolean,
): Command {
  const command = new Command('kernloop')
    .description('Take one dispatch of one GPU kernel out of a running program, and answer every question about it.')
    .version(version)
    .addHelpText('before', asTyped(start))
    .helpCommand('help [verb]', 'Show the options of a verb.')
    .configureHelp({
      visibleCommands: (of) => {
        const all = Help.prototype.visibleCommands.call(new Help(), of);
        return listed === 'all' || of.parent !== null ? all : all.filter((verb) => firstVerbs.includes(verb.name()));
      },
      subcommandTerm: (verb) => verb.name(),
    })
    .addHelpText('after', listed === 'all' ? '' : `\nkernloop help --all lists all ${stageNames.length + 2} verbs.`)
    .exitOverride()
    .showSuggestionAfterError(false)
    .showHelpAfterError('(kernloop help --all lists the verbs)')
    .configureOutput({ writeErr: () => undefined });
  const groups = new Map<string, Command>();
  for (const name of stageNames) {
    const words = verbWords(name);
    const parent = words.length > 1 ? groupOf(command, words[0] ?? '', groups) : command;
    const verb = parent
      .command(words.at(-1) ?? name)
      .description(stageSummaries[name].summary)
      .exitOverride();
    if (name === 'judge') verb.addHelpText('after', `\n${service}`);
    if (name === 'judge' && isService) addJudgeService(verb, overrides, ended);
    else if (named.includes(name)) verbs().addVerb(verb, name, trailing, overrides, ended);
    else verb.usage('[options]');
  }
  command.hook('preAction', () => warnOfVariables(overrides.env ?? process.env));
  addWatch(command, overrides, ended);
  addServer(command, overrides);
  return command;
}

/** Warns of misspelt variables, which would be ignored in silence. */
function warnOfVariables(env: Environment): void {
  const reporter = wantsEvents(env) ? eventReporter() : consoleReporter();
  for (const line of unknownVariables(env)) reporter.warn(line);
}

const service = `As a service, which judges what it is sent until it is ended:
  kernloop judge --serve ./judge.sock --reproducer kernels/demo/NAME   HTTP on a Unix socket, or at HOST:PORT
  kernloop judge --stdio --reproducer kernels/demo/NAME                one candidate a line in, one verdict a line out
  kernloop judge --stdio --help                                        the options of both
`;

/** Makes `judge` the service, which is no stage: it judges what it is sent until it is ended. */
function addJudgeService(command: Command, overrides: Partial<Deps>, ended: (exitCode: number) => void): void {
  verbs().addOptions(command, judging().serviceOptions);
  command.usage('(--serve <address> | --stdio) [options]').action(async () => {
    ended(await judging().runJudgeService(command.opts(), overrides));
  });
}

/** Adds `watch`, which is no stage: it runs stages until it is ended. */
function addWatch(command: Command, overrides: Partial<Deps>, ended: (exitCode: number) => void): void {
  command
    .command('watch')
    .description('Validate an edit whenever it is saved, and compare it with the captured code.')
    .exitOverride()
    .argument('[reproducer]', 'folder of the reproducer: where kernel.json is, or any folder below it', '.')
    .option('--no-compare', 'leave out the comparison with the captured code')
    .option('--until-eof', 'end with the input, if that is not a terminal; r and q are read from it as well')
    .action(async (folder: string, flags: object) => ended(await watching().runWatch(folder, flags, overrides)));
}

/** Adds `mcp`, which is no stage: other programs call the stages through it. */
function addServer(command: Command, overrides: Partial<Deps>): void {
  command
    .command('mcp')
    .description('Serve the stages to agents: a server of the Model Context Protocol on stdin and stdout.')
    .exitOverride()
    .option('--workspace <folder>', 'where the stages run; the workspace around the working folder if left out')
    .option(
      '--tools <names>',
      'stages to offer, with commas between them, or "all"; the dozen that it takes to improve a kernel if left out',
    )
    .option('--max-bytes <bytes>', 'how large a result or a page of a resource may be. Default: 65536.')
    .option('--allow-outside', 'take paths outside of the workspace too')
    .action((options: object) => mcp().serve(options, overrides));
}

/** Command whose subcommands are the two-word verbs of a group. */
function groupOf(command: Command, word: string, groups: Map<string, Command>): Command {
  const known = groups.get(word);
  if (known) return known;
  const group = command
    .command(word)
    .description(verbGroups[word] ?? '')
    .usage('<verb> [options]')
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  // If no verb of the group matches, the word is an argument of the group itself.
  group.argument('[verb]').action((verb: string | undefined) => {
    const known = group.commands.map((command) => command.name());
    const [suggestion] = verb === undefined ? [] : closest(verb, known, 1);
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

/** Prints any error in the same form and returns its exit code. */
function fail(error: unknown, argv: readonly string[], command: Command): number {
  liveLine().hide();
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.pass;
  const known =
    error instanceof CommanderError ? usageError(error, argv, command) : withDashes(asKernloopError(error), argv);
  if (argv.includes('--json')) printJson(errorDocument(verbOf(argv), known));
  const what = error instanceof CommanderError || !isBug(error) ? known.brief : stackOf(error);
  process.stderr.write(asTyped(errorText({ code: known.code, what: saidLines.shortened(what), hint: known.hint })));
  return known.exitCode;
}

function usageError(error: CommanderError, argv: readonly string[], command: Command): KernloopError {
  const what = error.message.replace(/^error: /, '');
  const [suggestion, ...others] = suggestions(what, commandOf(argv, command));
  const words = others.length > 0 ? `one of ${[suggestion, ...others].join(', ')}` : suggestion;
  return new KernloopError(
    'USAGE',
    `${what}${suggestion === undefined ? '' : `. Did you mean ${words}?`}`,
    dashesHint(argv) ?? 'see kernloop help --all, or --help after the verb',
    { cause: error },
  );
}

/** Flags or verbs close to an unknown one, which Commander's message quotes. */
function suggestions(what: string, command: Command): string[] {
  const [, kind, word] = /^unknown (option|command) '-*([^=']+)/.exec(what) ?? [];
  if (word === undefined) return [];
  if (kind === 'command' && formerVerbs[word] !== undefined) return [`${formerVerbs[word]} --app`];
  if (kind === 'command')
    return closest(
      word,
      command.commands.map((each) => each.name()),
    );
  const flags = command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => (long ? [long.slice(2)] : []));
  const sameMeaning = (synonyms[word] ?? []).filter((flag) => flags.includes(flag));
  return (sameMeaning.length > 0 ? sameMeaning : closest(word, flags)).map((flag) => `--${flag}`);
}

/** Options that mean what another verb, or another tool, calls by another name. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  to: ['output'],
  out: ['output', 'to'],
  o: ['output', 'to'],
  output: ['to'],
};

/** The verb that the words name, as far as they do. */
function commandOf(argv: readonly string[], command: Command): Command {
  return argv.slice(2).reduce((at, word) => at.commands.find((each) => each.name() === word) ?? at, command);
}

/** A program without the dashes before it is taken for the name of a kernel, which no kernel has. */
function withDashes(error: KernloopError, argv: readonly string[]): KernloopError {
  if (error.code !== 'KERNEL_UNKNOWN' && error.code !== 'CONFIG_MISSING') return error;
  const hint = dashesHint(argv, (word) => word.includes('/') && (isFile(word) || word.startsWith('./')));
  return hint === undefined ? error : new KernloopError(error.code, error.what, hint, { cause: error });
}

/** Advice for a program that is given without the dashes before it. */
function dashesHint(argv: readonly string[], isProgram = isFile): string | undefined {
  const verb = verbOf(argv);
  const [first = ''] = argv.slice(2);
  if (verb === null && isProgram(first))
    return `name what to do with the program: kernloop ${commandText(['profile', '--', ...argv.slice(2)])}`;
  if (verb === null || stageSummaries[verb].trailing === undefined || argv.includes('--')) return undefined;
  const at = argv.findIndex((word, index) => index > 2 && isProgram(word));
  if (at < 0) return undefined;
  const words = [...argv.slice(2, at), '--', ...argv.slice(at)];
  return `put -- before the program and its arguments: kernloop ${commandText(words)}`;
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
}

/** The verb on the command line, if one of that name exists. */
function verbOf(argv: readonly string[]): StageName | null {
  const words = argv.slice(2).filter((argument) => !argument.startsWith('-'));
  return stageNames.find((name) => verbWords(name).every((word, index) => words[index] === word)) ?? null;
}
