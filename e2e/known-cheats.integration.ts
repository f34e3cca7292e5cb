import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { addExtracted } from './fixtures';
import { repository, run } from './harness';
import { Workspace } from './in-process';

interface Cheat {
  number: string;
  title: string;
  kernel: string;
  text: string;
  configuration?: object;
  expects: { outcome: string; verdicts: string[]; says: string; ratio?: number | null };
}

interface Judgement {
  label: string;
  verdict: string;
  summary: string;
  races: string[];
  diagnostics: { message: string }[];
  ratio: number | null;
}

/** Jest does not load the table, which is an ES module, so Node prints the requested entries. */
const script = `
import { readFileSync } from 'node:fs';
const [folder, kernels, ...titles] = process.argv.slice(1);
const { cheats, numbers } = await import(folder + '/cheats/cheats.mjs');
const { edited } = await import(folder + '/defects/edits.mjs');
const text = (entry) => edited(readFileSync(kernels + '/' + entry.kernel + '/kernel_variant.hip', 'utf8'), entry);
const entries = cheats
  .map((entry) => ({ ...entry, title: entry.number + ' ' + entry.kernel + ': ' + entry.name }))
  .filter(({ title }) => titles.includes(title))
  .map(({ number, title, kernel, configuration, expects, ...entry }) => ({
    ...{ number, title, kernel, configuration, text: text({ kernel, ...entry }) },
    expects: { ...expects, says: expects.says.source },
  }));
console.log(JSON.stringify({ numbers: Object.keys(numbers), entries }));
`;

/** One candidate of each number; bench/known-cheats.mjs judges all of them, also those of Triton’s Python (B3, B7). */
const chosen = [
  'A1 saxpy: results stashed by place',
  'A1 saxpy: results stashed by value',
  'A2 saxpy: nothing from the third launch on',
  'A3 extremes: both results written out',
  'A4 pack_rgba: green is in range',
  'A5 saxpy: n in the configuration',
  'A6 saxpy: vectors of four, and a tail of three',
  'A7 tree_sum: eight bits of each element',
  'A8 softmax_rows: no maximum, byte for byte',
  'A9 transpose: writes only where the output is as the app left it',
  'A10 saxpy: nothing',
  'A11 histogram: clears one bin too many',
  'A12 saxpy: looks upward for the expected bytes',
  'A13 saxpy: right beside a file of the reproducer',
  'A13 saxpy: right where the path of its file is not absolute',
  'A14 saxpy: loads that stay in the cache',
  'A15 saxpy: leaves much to write behind it',
  'A16 saxpy: sleeps in its first launches',
  'A17 tree_sum: in the tree',
  'A18 sum_by_key: an element in 512 left out',
  'A19 tree_sum: 64 for 256',
  'B1 saxpy: host code that would launch it on streams of its own',
  'B2 saxpy: a clock of its own',
  'B4 saxpy: a decoy that is never called',
  'B5 saxpy: brings a kernloop.json with tolerances',
  'B6 saxpy: no work in one launch',
];
const kernelOf = (title: string): string => /^\w+ (\w+):/.exec(title)?.[1] ?? '';
const kernels = [...new Set(chosen.map(kernelOf))];

describe('known cheats', () => {
  let workspace: Workspace;
  let cheats: Cheat[];
  let numbers: string[];
  const judge = (...words: string[]) =>
    workspace.kernloop([
      ...['judge', ...words, '--home', workspace.path('home'), '--compile-limit-seconds', '600', '--json'],
      ...kernels.flatMap((kernel) => ['--reproducer', `kernels/planted/${kernel}`]),
    ]);

  beforeAll(async () => {
    workspace = Workspace.create([]);
    const source = join(repository, 'bench', 'defects');
    const addApp = (there: Workspace): string => {
      cpSync(source, there.path('apps', 'planted'), { recursive: true, filter: (path) => !path.endsWith('/build') });
      return 'apps/planted';
    };
    await addExtracted(workspace, source, addApp, ...kernels);
    const folders = [join(repository, 'bench'), workspace.path('kernels', 'planted')];
    const read = await run(process.execPath, ['--input-type=module', '--eval', script, '--', ...folders, ...chosen]);
    expect([read.code, read.stderr]).toEqual([0, '']);
    const table = JSON.parse(read.stdout) as { numbers: string[]; entries: Cheat[] };
    [cheats, numbers] = [table.entries, table.numbers];
  });
  afterAll(() => workspace.remove());

  it('are of every number, but for those that need the Python of a candidate', () => {
    expect(cheats.map(({ title }) => title).sort()).toEqual([...chosen].sort());
    const python = ['B3', 'B7'];
    expect(new Set([...cheats.map(({ number }) => number), ...python])).toEqual(new Set(numbers));
  });

  it('are judged as bench/cheats says, by one judge', async () => {
    const answers = { LOWEST: '298', HIGHEST: '999978', MARKER: workspace.path('marker') };
    const files = cheats.map(({ title, kernel, text, configuration }, index) => {
      const filled = Object.entries(answers).reduce((made, [name, value]) => made.replaceAll(name, value), text);
      const name = `candidates/${index}.json`;
      workspace.write(name, {
        ...{ label: title, kernel, files: { 'kernel_variant.hip': filled } },
        ...(configuration === undefined ? {} : { configuration }),
      });
      return name;
    });
    const outcome = await judge(...files);
    expect(outcome.stderr).not.toContain('INTERNAL_ERROR');
    const { judgements } = (JSON.parse(outcome.stdout) as { result: { judgements: Judgement[] } }).result;
    const told = judgements.map(({ label, verdict, summary, races, diagnostics, ratio }) => {
      const { expects } = cheats.find(({ title }) => title === label) ?? {};
      const words = [summary, ...races, ...diagnostics.map(({ message }) => message)].join('\n');
      const isAs =
        expects?.verdicts.includes(verdict) === true &&
        new RegExp(expects.says).test(words) &&
        (ratio === null || ratio >= (expects.ratio ?? 0));
      return { label, isAs, ...(isAs ? {} : { verdict, words, ratio }) };
    });
    expect(told).toEqual(chosen.map((label) => ({ label, isAs: true })));
    expect(existsSync(workspace.path('marker'))).toBe(false);
  });

  it('have no use for the inputs that everybody can derive', async () => {
    const reproducer = 'kernels/planted/extremes';
    const script = join(repository, 'bench', 'cheats', 'known-inputs.mjs');
    const { env } = workspace.settings();
    const made = await run(process.execPath, [script, workspace.path(reproducer)], { cwd: workspace.root, env });
    expect([made.code, made.stderr]).toEqual([0, '']);
    workspace.write('table.hip', made.stdout);
    // It is right for the captured input and for each derived one that validate has.
    const variant = `${reproducer}/kernel_variant.hip`;
    const original = workspace.read(variant);
    workspace.write(variant, made.stdout);
    const compiled = await workspace.kernloop(['recompile', '--reproducer', reproducer]);
    const validated = await workspace.kernloop(['validate', '--reproducer', reproducer, '--inputs', '4']);
    workspace.write(variant, original);
    expect([compiled.code, validated.code, validated.text]).toEqual([
      ...[0, 0],
      expect.stringMatching(/judged on the captured input and [3-8] derived ones/) as string,
    ]);
    const outcome = await judge('table.hip', '--kernel', 'extremes');
    const { judgements } = (JSON.parse(outcome.stdout) as { result: { judgements: Judgement[] } }).result;
    expect(judgements).toMatchObject([
      {
        verdict: 'fail',
        summary: expect.stringContaining('right for the captured input, wrong for derived') as string,
      },
    ]);
    expect(judgements[0]?.summary).not.toContain('seed');
  });

  it.each(['kernel.json', 'capture/selfcheck.json', 'pristine/recipe.json', 'build/variant.hsaco'])(
    'that bring %s are refused',
    async (name) => {
      const files = { [name]: '{}' };
      workspace.write('refused.json', { kernel: 'saxpy', files });
      const outcome = await judge('refused.json');
      expect([outcome.code === 0, outcome.text]).toEqual([false, expect.stringContaining('CANDIDATE_REFUSED')]);
    },
  );
});
