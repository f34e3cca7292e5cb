import { Option, type Command } from 'commander';
import { defaultDeps, type Deps } from '../lib/deps/deps';
import type { Stage } from '../lib/stage/stage';
import { configure } from '../lib/stages/configure';
import { configurationDocument, resultDocument } from '../lib/stages/documents';
import { stages, type StageName } from '../lib/stages/registry';
import { runStage as runAnywhere } from '../lib/stages/run';
import { forSubject, subjectAt } from '../lib/stages/subject';
import { KernloopError } from '../lib/support/error';
import { exitCodes } from '../lib/support/error-codes';
import {
  defaultText,
  optionInfos,
  parseText,
  shortFlags,
  type OptionInfo,
  type OptionsSchema,
} from '../lib/support/options';
import { kebab } from '../lib/support/option-variables';
import type { Environment } from '../lib/support/environment';
import { ReadOnce } from '../lib/support/read-once';
import { consoleReporter, table, type Reporter } from '../lib/support/report';
import { eventReporter, wantsEvents } from '../lib/support/report-events';
import { inheritedInput } from '../lib/support/stdin';
import { printJson } from './print-json';

interface OutputFlags {
  json?: boolean;
  printConfig?: boolean;
}

/** Adds a verb's options and action; `ended` receives its exit code. */
export function addVerb(
  verb: Command,
  name: StageName,
  trailing: readonly string[],
  overrides: Partial<Deps>,
  ended: (exitCode: number) => void,
): void {
  const stage: Stage = stages[name];
  const infos = optionInfos(stage.options);
  const positional = infos.find((info) => info.name === stage.positional);
  verb
    .option('--json', 'print the result as JSON on stdout; everything else goes to stderr')
    .option('--print-config', 'print the options in effect and where each value comes from, and do nothing');
  addOptions(verb, stage.options);
  if (positional) {
    const name = stage.subjects === undefined ? positional.name : 'folder';
    const same = Object.keys(stage.subjects ?? { [positional.name]: stage }).map((option) => `--${kebab(option)}`);
    verb.argument(positional.type === 'array' ? `[${name}...]` : `[${name}]`, `the same as ${same.join(' or ')}`);
  }
  if (stage.trailing !== undefined) {
    const words = positional?.type === 'array' ? `[${positional.name}...]` : `[${positional?.name ?? ''}]`;
    verb.usage(`[options] ${words} [-- PROGRAM [arguments...]]`);
  }
  verb.action(async () => {
    const flags: Record<string, unknown> & OutputFlags = verb.opts();
    const words = verb.processedArgs[0] as string | string[] | undefined;
    const values = withTrailing(stage, trailing, withPositional(meantBy(words, stage, infos), words, flags));
    ended(await runStage(forSubject(stage, values, overrides.env ?? process.env), values, flags, overrides));
  });
}

/** Adds the options of a verb that is no stage. */
export function addOptions(verb: Command, options: OptionsSchema): void {
  for (const info of optionInfos(options)) addOption(verb, info);
}

function addOption(verb: Command, info: OptionInfo): void {
  const description = describeOption(info);
  if (info.type === 'boolean') {
    verb
      .option(`${shortFlag(info)}${info.flag}`, description)
      .option(`--no-${info.flag.slice(2)}`, `the opposite of ${info.flag}`);
  } else if (info.type === 'array') {
    const collect = (text: string, before: unknown[] | undefined): unknown[] => [
      ...(before ?? []),
      ...(parseText(info, text, info.flag) as unknown[]),
    ];
    verb.option(`${shortFlag(info)}${info.flag} <value>`, description, collect);
  } else {
    const option = new Option(`${shortFlag(info)}${info.flag} ${isProject(info) ? '[value]' : '<value>'}`, description);
    if (isProject(info)) option.preset('.');
    verb.addOption(option.argParser((text: string) => parseText(info, text, info.flag)));
  }
}

/** A folder of a project: without a value, the working folder. */
const isProject = ({ name }: OptionInfo): boolean => name === 'app' || name === 'reproducer';

const shortFlag = ({ name }: OptionInfo): string => (shortFlags[name] === undefined ? '' : `${shortFlags[name]}, `);

function describeOption(info: OptionInfo): string {
  const choices = info.choices ? ` One of ${info.choices.join(', ')}.` : '';
  const initial = defaultText(info);
  return `${info.description}${choices}${initial === undefined ? '' : ` Default: ${initial}.`}`;
}

/** Option that takes the words after the verb; a folder is of the option for the project that it belongs to. */
function meantBy(words: unknown, stage: Stage, infos: readonly OptionInfo[]): OptionInfo | undefined {
  const subject = stage.subjects !== undefined && typeof words === 'string' ? subjectAt(words) : stage.positional;
  return infos.find(({ name }) => name === subject);
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

function withTrailing(
  { name, trailing: option }: Stage,
  words: readonly string[],
  values: Record<string, unknown>,
): Record<string, unknown> {
  if (option === undefined || words.length === 0) return values;
  if (values[option] === undefined) return { ...values, [option]: words };
  throw new KernloopError('USAGE', `${option} of ${name} is given twice`, `give it once, after -- or with --${option}`);
}

async function runStage<S extends OptionsSchema, R>(
  stage: Stage<S, R>,
  flags: Record<string, unknown>,
  output: OutputFlags,
  overrides: Partial<Deps>,
): Promise<number> {
  const opened = new ReadOnce();
  const { values, origins } = configure(stage, flags, overrides.env ?? process.env, opened);
  if (output.printConfig) {
    printConfig(stage, values, origins, output.json ?? false);
    return exitCodes.pass;
  }
  const result = await runAnywhere<R>(stage, values, depsFor(output, { ...overrides, opened }));
  const exitCode = stage.exitCode(result);
  if (output.json) printJson(resultDocument(stage.name, exitCode, result));
  return exitCode;
}

function depsFor({ json }: OutputFlags, overrides: Partial<Deps>): Deps {
  return defaultDeps({
    input: inheritedInput(),
    ...overrides,
    report: reporterFor(json, overrides.env ?? process.env),
  });
}

/** With --json, stdout holds one document and nothing else. */
function reporterFor(json: boolean | undefined, env: Environment): Reporter {
  const console = consoleReporter();
  const report = wantsEvents(env) ? eventReporter() : { ...console, result: (line: string) => console.info(line) };
  return json ? report : { ...report, result: (line) => console.result(line) };
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
  const rows = Object.keys(stage.options.shape).map((name) => [
    name,
    JSON.stringify(values[name]) ?? '',
    origins[name] ?? 'not set',
  ]);
  for (const line of table([['option', 'value', 'from'], ...rows])) process.stdout.write(`${line}\n`);
}
