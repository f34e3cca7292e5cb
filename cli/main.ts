import { Command, CommanderError } from 'commander';
import { configure } from '../lib/stages/configure';
import { configurationDocument, errorDocument, resultDocument } from '../lib/stages/output';
import { stages, type Stage } from '../lib/stages/registry';
import { defaultDeps, type Deps } from '../lib/deps/deps';
import { KernloopError, messageOf, systemCode } from '../lib/support/error';
import { exitCodes } from '../lib/support/error-codes';
import { optionInfos, parseText, type OptionInfo, type OptionsSchema } from '../lib/support/options';
import { consoleReporter, table } from '../lib/support/report';
import { inheritedInput } from '../lib/support/stdin';
import { version } from '../lib/support/version';

interface OutputFlags {
  json?: boolean;
  printConfig?: boolean;
}

/** `kernloop <verb>`; sets the exit code of the process. */
export async function main(argv: readonly string[], overrides: Partial<Deps> = {}): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.listeners('error').includes(ignoreClosedPipe)) stream.on('error', ignoreClosedPipe);
  }
  try {
    await program(overrides).parseAsync(argv);
  } catch (error) {
    process.exitCode = fail(error, argv);
  }
}

/** Whoever reads (`| head`) may stop; the stage goes on, and its exit code stays true. */
function ignoreClosedPipe(error: Error): void {
  if (systemCode(error) !== 'EPIPE') throw error;
}

export function program(overrides: Partial<Deps> = {}): Command {
  const command = new Command('kernloop')
    .description('Take one dispatch of one GPU kernel out of a running program, and answer every question about it.')
    .version(version)
    .exitOverride()
    .showHelpAfterError('(kernloop --help lists the verbs)')
    .configureOutput({ writeErr: () => undefined });
  for (const stage of Object.values<Stage>(stages)) addStage(command, stage, overrides);
  return command;
}

function addStage(command: Command, stage: Stage, overrides: Partial<Deps>): void {
  const infos = optionInfos(stage.schema);
  const positional = infos.find(({ name }) => name === stage.positional);
  const verb = command
    .command(stage.name)
    .description(stage.summary)
    .option('--json', 'print the result as JSON on stdout; everything else goes to stderr')
    .option('--print-config', 'print the options in effect and where each value comes from, and do nothing')
    .exitOverride();
  for (const info of infos) addOption(verb, info);
  if (positional) {
    const { name, type } = positional;
    verb.argument(type === 'array' ? `[${name}...]` : `[${name}]`, `the same as ${positional.flag}`);
  }
  verb.action(async () => {
    const flags: Record<string, unknown> & OutputFlags = verb.opts();
    const words = verb.processedArgs[0] as string | string[] | undefined;
    process.exitCode = await runStage(stage, withPositional(positional, words, flags), flags, overrides);
  });
}

/** Letters for what is typed by hand. */
const shortFlags: Readonly<Record<string, string>> = { verbose: '-v, ' };

function addOption(verb: Command, info: OptionInfo): void {
  const description = describeOption(info);
  if (info.type === 'boolean') {
    verb
      .option(`${shortFlags[info.name] ?? ''}${info.flag}`, description)
      .option(`--no-${info.flag.slice(2)}`, `the opposite of ${info.flag}`);
  } else if (info.type === 'array') {
    const collect = (text: string, before: unknown[] | undefined): unknown[] => [
      ...(before ?? []),
      ...(parseText(info, text, info.flag) as unknown[]),
    ];
    verb.option(`${info.flag} <value>`, description, collect);
  } else {
    verb.option(`${info.flag} <value>`, description, (text: string) => parseText(info, text, info.flag));
  }
}

function describeOption(info: OptionInfo): string {
  const choices = info.choices ? ` One of ${info.choices.join(', ')}.` : '';
  const empty = info.default === undefined || (Array.isArray(info.default) && info.default.length === 0);
  return `${info.description}${choices}${empty ? '' : ` Default: ${String(info.default)}.`}`;
}

function withPositional(
  positional: OptionInfo | undefined,
  words: string | string[] | undefined,
  flags: Record<string, unknown> & OutputFlags,
): Record<string, unknown> {
  const { json: _json, printConfig: _printConfig, ...values } = flags;
  if (words === undefined || words.length === 0 || !positional) return values;
  const before = values[positional.name];
  if (before !== undefined && positional.type !== 'array') {
    throw new KernloopError(
      'USAGE',
      `${positional.name} is given twice`,
      `give it once, as a word or with ${positional.flag}`,
    );
  }
  return {
    ...values,
    [positional.name]: Array.isArray(words)
      ? [...(Array.isArray(before) ? (before as unknown[]) : []), ...words]
      : words,
  };
}

async function runStage<S extends OptionsSchema, R>(
  stage: Stage<S, R>,
  flags: Record<string, unknown>,
  output: OutputFlags,
  overrides: Partial<Deps>,
): Promise<number> {
  const { values, origins } = configure(stage, flags, overrides.env ?? process.env);
  if (output.printConfig) {
    printConfig(stage, values, origins, output.json ?? false);
    return exitCodes.pass;
  }
  const result = await stage.run(values, depsFor(output, overrides));
  const exitCode = stage.exitCode(result);
  if (output.json) printJson(resultDocument(stage.name, exitCode, result));
  return exitCode;
}

function depsFor({ json }: OutputFlags, overrides: Partial<Deps>): Deps {
  const report = consoleReporter();
  // With --json, stdout holds one document and nothing else.
  return defaultDeps({
    input: inheritedInput(),
    ...overrides,
    report: json ? { ...report, result: (line) => report.info(line) } : report,
  });
}

function printConfig(
  stage: Stage,
  values: Readonly<Record<string, unknown>>,
  origins: Readonly<Record<string, string>>,
  json: boolean,
): void {
  if (json) {
    printJson(configurationDocument(stage.name, values, origins));
    return;
  }
  const rows = Object.keys(stage.schema.shape).map((name) => [
    name,
    JSON.stringify(values[name]) ?? '',
    origins[name] ?? 'not set',
  ]);
  for (const line of table([['option', 'value', 'from'], ...rows])) process.stdout.write(`${line}\n`);
}

function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
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
  return word !== undefined && Object.hasOwn(stages, word) ? word : null;
}
