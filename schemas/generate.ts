import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { buildOptionsSchema } from '../executors/build/options';
import { kernloopJsonSchema } from '../lib/app/kernloop-json';
import { selfcheckSchema } from '../lib/archive/capture-files';
import { openApiDocument } from '../lib/judge/service/openapi';
import { kernelJsonSchema } from '../lib/reproducer/kernel-json';
import { profileSchema } from '../lib/profile/profile-json';
import { partsOf } from '../lib/stage/either';
import { notCommittedOf, outputsOf } from '../lib/stage/writes';
import { outputSchema, usageOutputSchema } from '../lib/stages/output';
import type { Stage } from '../lib/stage/stage';
import { stages } from '../lib/stages/registry';
import { taskOptions } from '../lib/stages/task-options';
import type { StageTask } from '../lib/stages/stage-tasks';
import { errorCodes, exitCodeMeanings, exitCodes, type ExitCodeName } from '../lib/support/error-codes';
import { environmentName } from '../lib/support/option-variables';
import { optionInfos, type OptionInfo, type OptionsSchema } from '../lib/support/options';
import { eventsSchema } from '../lib/timeline/json-events';
import { reportSchema } from '../lib/validate/report-json';
import { version } from '../lib/support/version';
import { filesPage } from './file-pages';
import { generatorFiles } from './generators';
import { jsonLines } from './json-text';
import { nativeEventFiles } from './native-events';
import { publicApi } from './public-api';
import { pythonClientFiles, pythonVersionFile } from './python-client';
import { withSharedBodies } from './shared-bodies';

const all = Object.values<Stage>(stages);
const tasks = all.filter(({ task }) => task !== undefined);
const buildSummary = 'Build an app with its own build command.';
const programSummary = 'Write down what the command of an app runs, by digest.';

/** Every file that is generated from the schemas, by its path in the package. */
export function generatedFiles(): Map<string, string> {
  return new Map([...committedFiles(), ...packagedFiles()]);
}

/** Files in git. The others are held by one of them: the snapshot of the public API. */
export function committedFiles(): Map<string, string> {
  return new Map<string, string>([
    ['schemas/kernloop.schema.json', fileSchema(kernloopJsonSchema, 'kernloop')],
    ['schemas/kernel.schema.json', fileSchema(kernelJsonSchema, 'kernel')],
    ['schemas/report.schema.json', fileSchema(reportSchema, 'report')],
    ['schemas/selfcheck.schema.json', fileSchema(selfcheckSchema, 'selfcheck')],
    ['schemas/profile.schema.json', fileSchema(profileSchema, 'profile')],
    ['schemas/events.schema.json', fileSchema(eventsSchema, 'events')],
    ['schemas/judge.openapi.json', jsonLines(openApiDocument())],
    ['schemas/public-api.txt', publicApi(packagedFiles())],
    ...nativeEventFiles(),
    ...generatorFiles(),
    pythonVersionFile(version),
    ['docs/reference/options.md', optionsPage()],
    ['docs/reference/errors.md', errorsPage()],
    ['docs/reference/exit-codes.md', exitCodesPage()],
    ['docs/reference/files.md', filesPage()],
    ['executors/executors.json', executorsFile()],
    ['lib/stages/stages.json', summariesFile()],
    [
      'lib/stage/written-files.json',
      jsonLines(all.flatMap(({ name, writes = [] }) => writes.map((row) => ({ stage: name, ...row })))),
    ],
    ['lib/stages/tasks.json', jsonLines(all.flatMap(tasksOf))],
    ['lib/stages/option-variables.json', jsonLines(optionVariables())],
    ['cli/stage-functions.ts', stageFunctions()],
    ['.gitignore', ignoredFiles()],
  ]);
}

/** Files that git ignores: written at set-up, before tests and packaging, and again when a stage changes (bin/generated.js). */
export function packagedFiles(): Map<string, string> {
  return new Map<string, string>([
    ['executors/build/schema.json', executorSchema('build', buildSummary, buildOptionsSchema)],
    ['executors/program/schema.json', executorSchema('program', programSummary, buildOptionsSchema)],
    ...tasks.map((stage): [string, string] => [
      `executors/${stage.name}/schema.json`,
      executorSchema(stage.name, stage.summary, taskOptions(stage)),
    ]),
    ['schemas/output/kernloop.schema.json', outputFile(usageOutputSchema, 'kernloop')],
    ...all.map(({ name, result }): [string, string] => [
      `schemas/output/${name}.schema.json`,
      outputFile(outputSchema(name, result), name),
    ]),
    ...pythonClientFiles(all),
  ]);
}

/** The lines of this checkout for what stages write into a reproducer; all other lines stay. */
function ignoredFiles(): string {
  const start = '**/kernels/*/*/';
  const lines = readFileSync(join(__dirname, '..', '.gitignore'), 'utf8').split('\n');
  const first = lines.findIndex((line) => line.startsWith(start));
  const names = notCommittedOf(all.flatMap(({ writes = [] }) => writes));
  const others = lines.filter((line) => !line.startsWith(start));
  return others.toSpliced(first, 0, ...names.map((name) => `${start}${name}`)).join('\n');
}

/** Build and program are of the app, and no stages. A stage whose tasks share their work has `batch.ts` in its folder. */
function executorsFile(): string {
  const own = (name: string, description: string): object => ({
    implementation: `../dist/executors/${name}/executor`,
    schema: `./${name}/schema.json`,
    description,
  });
  const batch = (name: string): object =>
    existsSync(join(__dirname, '..', 'executors', name, 'batch.ts'))
      ? { batchImplementation: `../dist/executors/${name}/batch`, preferBatch: true }
      : {};
  const ofStages = tasks.map(({ name, summary }) => [
    name,
    {
      implementation: `../dist/executors/stage#${name}`,
      ...batch(name),
      schema: `./${name}/schema.json`,
      description: summary,
    },
  ]);
  const executors = {
    build: own('build', buildSummary),
    program: own('program', programSummary),
    ...(Object.fromEntries(ofStages) as object),
  };
  return jsonLines({ $schema: 'http://json-schema.org/schema', executors });
}

/** Every variable that sets an option: all but these and a few others are misspelt. */
function optionVariables(): string[] {
  const names = all.flatMap(({ name, options }) =>
    optionInfos(options).map((info) => environmentName(name, info.name)),
  );
  return [...new Set(names)].sort();
}

function summariesFile(): string {
  const rows = all.map(({ name, summary, project, selfContained = false, verb, trailing }) => [
    name,
    {
      ...{ summary, project, selfContained },
      ...(verb === undefined ? {} : { verb }),
      ...(trailing === undefined ? {} : { trailing }),
    },
  ]);
  return jsonLines(Object.fromEntries(rows) as object);
}

/** A row for each kind of project. Variables of all options are inputs: one for the other kind is refused. */
const tasksOf = (stage: Stage): StageTask[] =>
  partsOf(stage).flatMap((part) => taskOf(part).map((row) => ({ ...row, options: Object.keys(stage.options.shape) })));

function taskOf({ name, summary, project, options, writes = [], task }: Stage): StageTask[] {
  if (!task) return [];
  const { targets, cache, after, inputs, needsSource, needsCommands, fixed, example } = task;
  const kernel = optionInfos(options).find((option) => option.name === 'kernel');
  return [
    {
      ...{ name, summary, project },
      ...{
        targets,
        cache,
        after,
        inputs,
        outputs: cache ? outputsOf(writes) : [],
        needsSource,
        needsCommands,
        fixed,
        example,
      },
      options: Object.keys(options.shape),
      takesKernels: kernel?.type === 'array',
    },
  ];
}

/** TypeScript wants every export by name. */
function stageFunctions(): string {
  const lines = [
    '// Generated from the stages by `npm run schemas`.',
    "import { stageFunction, type OptionsOf, type ResultOf } from './stage-function';",
  ];
  for (const { name, summary } of all) {
    const type = name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const constant = `${type.slice(0, 1).toLowerCase()}${type.slice(1)}`;
    lines.push(
      '',
      `/** ${summary} */`,
      `export const ${constant} = stageFunction('${name}');`,
      `export type ${type}Options = OptionsOf<'${name}'>;`,
      `export type ${type}Result = ResultOf<'${name}'>;`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function fileSchema(schema: z.ZodType, name: string): string {
  const json = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  return jsonLines(withSharedBodies({ $id: `kernloop/schemas/${name}.schema.json`, ...json }));
}

/** Schema of a stage's output, closed: nothing that the schema does not name. Draft 7 is what validators of every language read. */
function outputFile(schema: z.ZodType, name: string): string {
  const json = z.toJSONSchema(schema, { io: 'output', target: 'draft-7' });
  return jsonLines(withSharedBodies({ $id: `kernloop/schemas/output/${name}.schema.json`, ...json }));
}

/** Without defaults: Nx would fill them in as if they had been given, and they would win over files and environment. */
function executorSchema(name: string, description: string, schema: OptionsSchema): string {
  const json = z.toJSONSchema(schema, { io: 'input' });
  const properties = Object.fromEntries(
    Object.entries(json.properties ?? {}).map(([option, property]) => {
      const { default: initial, ...rest } = property as { default?: unknown; description?: string };
      return [option, { ...rest, description: withDefault(rest.description ?? '', initial) }];
    }),
  );
  return jsonLines({
    $schema: 'https://json-schema.org/schema',
    version: 2,
    title: `${name} executor`,
    description,
    type: 'object',
    properties,
    required: json.required ?? [],
    additionalProperties: false,
  });
}

function withDefault(description: string, initial: unknown): string {
  if (initial === undefined || (Array.isArray(initial) && initial.length === 0)) return description;
  return `${description} Default: ${JSON.stringify(initial)}.`;
}

function optionsPage(): string {
  const lines = [
    '# Options',
    '',
    `Generated from the schemas by \`npm run schemas\`. Every stage takes the same options as a \`kernloop\` verb, as an Nx target (but for ${all
      .filter(({ task }) => !task)
      .map(({ name, verb }) => verb ?? name)
      .join(', ')}) and in the API.`,
    'A value comes from the first of: flag, environment variable, `options` of `kernel.json`, `options` of `kernloop.json`, default;',
    'The variable is `KERNLOOP_<STAGE>_<OPTION>`: it sets the option of one stage. What describes the machine has one for all stages: `KERNLOOP_DEVICE`, `KERNLOOP_SOFTGPU`, `KERNLOOP_GPU`, `KERNLOOP_STORE`, `KERNLOOP_REMOTE`. A variable that nothing reads is a warning, which names the nearest.',
    '`--print-config` shows the result and where each value came from. `--json` prints the result, or the error, as JSON: [for scripts](../api.md).',
  ];
  const configurable = all.filter(({ options }) => Object.keys(options.shape).length > 0);
  for (const stage of configurable) {
    lines.push(
      '',
      `## ${stage.verb ?? stage.name}`,
      '',
      stage.summary,
      '',
      '| flag | variable | default | meaning |',
      '|---|---|---|---|',
    );
    for (const info of optionInfos(stage.options)) lines.push(optionRow(stage.name, info));
    lines.push('', `Exit codes: ${exitCodesOf(stage)}.`);
  }
  return `${lines.join('\n')}\n`;
}

/** "0: …; 1: …"; an error has that of its code. */
function exitCodesOf({ exitCodes: meanings }: Stage): string {
  const names = Object.keys(exitCodes) as ExitCodeName[];
  return names
    .flatMap((name) => (meanings[name] === undefined ? [] : [`${exitCodes[name]}: ${sentence(meanings[name])}`]))
    .join('; ');
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1).replace(/\.$/, '')}`;
}

function optionRow(stage: string, info: OptionInfo): string {
  const value = info.type === 'boolean' ? '' : ` ${info.choices ? info.choices.join('\\|') : placeholder(info)}`;
  const empty = info.default === undefined || (Array.isArray(info.default) && info.default.length === 0);
  const flag = info.type === 'boolean' && info.default === true ? `--no-${info.flag.slice(2)}` : info.flag;
  const initial = info.required ? 'required' : empty ? '' : `\`${String(info.default)}\``;
  return `| \`${flag}${value}\` | \`${environmentName(stage, info.name)}\` | ${initial} | ${info.description.replaceAll('|', '\\|').replaceAll('<', '&lt;')} |`;
}

function placeholder({ type }: OptionInfo): string {
  return type === 'array' ? 'VALUE…' : type === 'string' ? 'VALUE' : 'N';
}

function errorsPage(): string {
  const rows = Object.entries(errorCodes).map(
    ([code, { exitCode, meaning, next }]) =>
      `| \`${code}\` | ${exitCode} | ${meaning} | ${next.replaceAll('|', '\\|')} |`,
  );
  return [
    '# Errors',
    '',
    'Generated by `npm run schemas`. Every error says what happened, where, and what to do next; its code is stable.',
    '',
    'What the exit codes mean: [exit codes](exit-codes.md).',
    '',
    '| code | exit code | what happened | what to do, where the message does not say it better |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function exitCodesPage(): string {
  const names = Object.keys(exitCodes) as ExitCodeName[];
  const row = (name: ExitCodeName): string => {
    const { meaning, next } = exitCodeMeanings[name];
    return `| ${exitCodes[name]} | ${name} | ${meaning} | ${next} |`;
  };
  return [
    '# Exit codes',
    '',
    'Generated by `npm run schemas`. Of every verb of `kernloop` and of the native programs below it; they keep their meaning.',
    '',
    '| code | name | meaning | what next |',
    '|---|---|---|---|',
    ...names.map(row),
    '',
    '- A verdict that is not good is a result: with `--json` the document has `result`, and `exit_code` is 1, 3 or 4. A verb that cannot judge is an error: the',
    '  document has `error`, with a [code](errors.md) that belongs to exactly one exit code.',
    '- `capture` and `extract` exit with the code of the app where it failed after everything was captured, which stays; with `--json`, `app_exit_code` of capture tells. An app',
    '  that was killed by signal N counts as 128 + N. Nx counts such a task as succeeded.',
    '- Under Nx a task succeeds (0) or fails; the verdict and its exit code are in `report.json`.',
    '- A signal that kills `kernloop` at once (SIGKILL) gives what the shell makes of it: 137.',
    '',
  ].join('\n');
}
