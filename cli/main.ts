import { Command, CommanderError } from 'commander';
import { runDoctor } from '../lib/doctor/doctor';
import { configure } from '../lib/stages/configure';
import { stages, type Stage } from '../lib/stages/registry';
import { defaultDeps, type Deps } from '../lib/support/deps';
import { KernloopError, messageOf, systemCode } from '../lib/support/error';
import { exitCodes } from '../lib/support/error-codes';
import { optionInfos, parseText, type OptionInfo, type OptionsSchema } from '../lib/support/options';
import { consoleReporter, table } from '../lib/support/report';
import { version } from '../lib/support/version';

interface OutputFlags {
  json?: boolean;
  printConfig?: boolean;
}

/** `kernloop <verb>`; sets the exit code of the process. */
export async function main(argv: readonly string[]): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.listeners('error').includes(ignoreClosedPipe)) stream.on('error', ignoreClosedPipe);
  }
  try {
    await program().parseAsync(argv);
  } catch (error) {
    process.exitCode = fail(error, argv.includes('--json'));
  }
}

/** Whoever reads (`| head`) may stop; the stage goes on, and its exit code stays true. */
function ignoreClosedPipe(error: Error): void {
  if (systemCode(error) !== 'EPIPE') throw error;
}

export function program(): Command {
  const command = new Command('kernloop')
    .description('Take one dispatch of one GPU kernel out of a running program, and answer every question about it.')
    .version(version)
    .exitOverride()
    .showHelpAfterError('(kernloop --help lists the verbs)')
    .configureOutput({ writeErr: () => undefined });
  for (const stage of Object.values<Stage>(stages)) addStage(command, stage);
  command
    .command('doctor')
    .description('Say what this machine has and lacks for Kernloop.')
    .option('--json', 'print the result as JSON')
    .action(async (flags: OutputFlags) => {
      const result = await runDoctor(depsFor(flags));
      if (flags.json) printJson({ stage: 'doctor', exit_code: result.exitCode, result });
      process.exitCode = result.exitCode;
    });
  return command;
}

function addStage(command: Command, stage: Stage): void {
  const infos = optionInfos(stage.schema);
  const positional = infos.find(({ name }) => name === stage.positional);
  const verb = command
    .command(stage.name)
    .description(stage.summary)
    .argument(
      positional?.type === 'array' ? `[${stage.positional}...]` : `[${stage.positional}]`,
      `the same as --${stage.positional}`,
    )
    .option('--json', 'print the result as JSON on stdout; everything else goes to stderr')
    .option('--print-config', 'print the options in effect and where each value comes from, and do nothing')
    .exitOverride();
  for (const info of infos) addOption(verb, info);
  verb.action(async (words: string | string[] | undefined, flags: Record<string, unknown> & OutputFlags) => {
    process.exitCode = await runStage(stage, withPositional(stage, positional, words, flags), flags);
  });
}

function addOption(verb: Command, info: OptionInfo): void {
  const description = describeOption(info);
  if (info.type === 'boolean') {
    verb.option(info.flag, description).option(`--no-${info.flag.slice(2)}`, `the opposite of ${info.flag}`);
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
  stage: Stage,
  positional: OptionInfo | undefined,
  words: string | string[] | undefined,
  flags: Record<string, unknown> & OutputFlags,
): Record<string, unknown> {
  const { json: _json, printConfig: _printConfig, ...values } = flags;
  if (words === undefined || words.length === 0 || !positional) return values;
  if (values[stage.positional] !== undefined && positional.type !== 'array') {
    throw new KernloopError(
      'USAGE',
      `${stage.positional} is given twice`,
      `give it once, as a word or with ${positional.flag}`,
    );
  }
  const before = values[stage.positional];
  return {
    ...values,
    [stage.positional]: Array.isArray(words)
      ? [...(Array.isArray(before) ? (before as unknown[]) : []), ...words]
      : words,
  };
}

async function runStage<S extends OptionsSchema, R>(
  stage: Stage<S, R>,
  flags: Record<string, unknown>,
  output: OutputFlags,
): Promise<number> {
  const { values, origins } = configure(stage, flags, process.env);
  if (output.printConfig) {
    printConfig(stage, values, origins, output.json ?? false);
    return exitCodes.pass;
  }
  const result = await stage.run(values, depsFor(output));
  const exitCode = stage.exitCode(result);
  if (output.json) printJson({ stage: stage.name, exit_code: exitCode, result });
  return exitCode;
}

function depsFor({ json }: OutputFlags): Deps {
  const report = consoleReporter();
  // With --json, stdout holds one document and nothing else.
  return defaultDeps({ report: json ? { ...report, result: (line) => report.info(line) } : report });
}

function printConfig(
  stage: Stage,
  values: Readonly<Record<string, unknown>>,
  origins: Readonly<Record<string, string>>,
  json: boolean,
): void {
  if (json) {
    printJson({ stage: stage.name, options: values, origins });
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
function fail(error: unknown, json: boolean): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.pass;
    return show(
      new KernloopError(
        'USAGE',
        error.message.replace(/^error: /, ''),
        'see kernloop --help, or --help after the verb',
        { cause: error },
      ),
      json,
    );
  }
  if (error instanceof KernloopError) return show(error, json);
  process.stderr.write(
    `internal error: ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}\n  → report this\n`,
  );
  return exitCodes.environment;
}

function show(error: KernloopError, json: boolean): number {
  if (json) printJson({ exit_code: error.exitCode, error });
  process.stderr.write(`error: ${error.what} [${error.code}]\n${error.hint ? `  → ${error.hint}\n` : ''}`);
  return error.exitCode;
}
