import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kernelJson } from '../lib/testing/workspace';

jest.setTimeout(120_000);

const root = join(__dirname, '..');

const descriptor = `
import { z } from 'zod';
import { defineStage } from '../stage/stage';

const code = () => require('./count') as typeof import('./count');

export const stage = defineStage({
  name: 'count',
  summary: 'Count the arguments of a kernel.',
  options: z.object({
    reproducer: z.string().default('.').describe('Folder of the reproducer.'),
    atLeast: z.int().default(0).describe('Fail below this.'),
  }),
  result: z.object({ args: z.int(), enough: z.boolean() }),
  project: 'reproducer',
  positional: 'reproducer',
  paths: ['reproducer'],
  writes: [{ path: '{reproducer}/count.json', results: ['count.json'] }],
  exitCodes: { pass: 'Enough.', fail: 'Too few.' },
  run: (options, deps) => code().count(options, deps),
  exitCode: ({ enough }) => (enough ? 0 : 1),
  task: {
    targets: [{ name: 'count', of: 'project' }],
    cache: true,
    after: [{ stage: 'recompile' }],
    inputs: ['reproducer'],
  },
});
`;

const work = `
import type { Deps } from '../deps/deps';
import { join } from 'node:path';
import { openReproducer } from '../reproducer/reproducer';
import { writeJson } from '../support/files';

export async function count({ reproducer, atLeast }: { reproducer: string; atLeast: number }, deps: Deps) {
  const { root, config } = openReproducer(reproducer);
  const args = config.args.length;
  writeJson(join(root, 'count.json'), { args });
  deps.report.result(\`\${args} arguments\`);
  return { args, enough: args >= atLeast };
}
`;

/** A copy of the checkout's TypeScript with one more stage: its folder, and its line in the registry. */
describe('a stage that is added', () => {
  let copy: string;
  const run = (...args: string[]): string =>
    execFileSync(process.execPath, args, { cwd: copy, encoding: 'utf8', env: { PATH: process.env['PATH'] } });

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'kernloop-toy-'));
    for (const name of ['bin', 'cli', 'executors', 'generators', 'lib', 'plugins', 'schemas', 'docs/reference'])
      cpSync(join(root, name), join(copy, name), { recursive: true });
    for (const name of ['package.json', 'tsconfig.base.json', '.gitignore']) cpSync(join(root, name), join(copy, name));
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    mkdirSync(join(copy, 'lib', 'count'));
    writeFileSync(join(copy, 'lib/count/stage.ts'), descriptor);
    writeFileSync(join(copy, 'lib/count/count.ts'), work.replaceAll('\\', ''));
    const registry = join(copy, 'lib/stages/registry.ts');
    const line = "  get count() { return (require('../count/stage') as typeof import('../count/stage')).stage; },\n";
    writeFileSync(
      registry,
      readFileSync(registry, 'utf8').replace('export const stages = {\n', (start) => start + line),
    );
    run('bin/generate-schemas.js');
    mkdirSync(join(copy, 'k'));
    writeFileSync(join(copy, 'k/kernel.json'), JSON.stringify(kernelJson({})));
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  it('is a verb, with its options and its result as JSON', () => {
    expect(run('bin/kernloop.js', 'help', '--all')).toMatch(/count .*Count the arguments of a kernel\./);
    expect(run('bin/kernloop.js', 'count', '--help')).toContain('--at-least');
    const document: unknown = JSON.parse(run('bin/kernloop.js', 'count', 'k', '--json'));
    expect(document).toMatchObject({ verb: 'count', exit_code: 0, result: { args: 0, enough: true } });
    const few = spawnSync(process.execPath, ['bin/kernloop.js', 'count', 'k', '--at-least', '1'], { cwd: copy });
    expect(few.status).toBe(1);
  });

  it('is an executor with a schema, a function of the API, and in the reference', () => {
    const read = (path: string): string => readFileSync(join(copy, path), 'utf8');
    expect(JSON.parse(read('executors/executors.json'))).toMatchObject({
      executors: { count: { implementation: '../dist/executors/stage#count', schema: './count/schema.json' } },
    });
    expect(JSON.parse(read('executors/count/schema.json'))).toMatchObject({
      properties: { atLeast: { type: 'integer' } },
    });
    expect(read('schemas/output/count.schema.json')).toContain('"enough"');
    expect(read('docs/reference/options.md')).toContain('KERNLOOP_COUNT_AT_LEAST');
    const called = run('-r', './bin/source', '-e', "require('./cli/api').count({ reproducer: 'k' }).then(console.log)");
    expect(called).toContain('enough: true');
  });

  it('has its schema written again when its descriptor changes, when somebody edits the schema, and when it is gone', () => {
    const stage = join(copy, 'lib/count/stage.ts');
    const schema = join(copy, 'executors/count/schema.json');
    const before = readFileSync(stage, 'utf8');
    writeFileSync(stage, before.replace('Fail below this.', 'Fail below that.'));
    run('bin/generated.js');
    expect(readFileSync(schema, 'utf8')).toContain('Fail below that.');
    writeFileSync(stage, before);
    run('bin/generated.js');
    expect(readFileSync(schema, 'utf8')).toContain('Fail below this.');
    writeFileSync(schema, '{}');
    run('bin/generated.js');
    expect(readFileSync(schema, 'utf8')).toContain('Fail below this.');
    rmSync(schema);
    run('bin/generated.js');
    expect(readFileSync(schema, 'utf8')).toContain('Fail below this.');
  });

  it('is a target of every reproducer, with the inputs and outputs that it declares', () => {
    const script =
      "const { projectsOf } = require('./plugins/kernel/plugin'); const read = (p) => require('fs').readFileSync(p, 'utf8');" +
      "console.log(JSON.stringify(projectsOf('k/kernel.json', read, new Set())))";
    const { projects } = JSON.parse(run('-r', './bin/source', '-e', script)) as {
      projects: Record<
        string,
        { namedInputs: Record<string, unknown[]>; targets: Record<string, { inputs: unknown[] }> }
      >;
    };
    const { namedInputs = {}, targets: { count, report } = {} } = projects['k'] ?? {};
    expect(count).toMatchObject({
      executor: 'kernloop:count',
      options: { reproducer: 'k' },
      dependsOn: ['recompile'],
      cache: true,
      outputs: ['{projectRoot}/count.json'],
    });
    expect(count?.inputs).toContain('kernloop-count-options');
    expect(namedInputs['kernloop-count-options']).toContainEqual({ env: 'KERNLOOP_COUNT_AT_LEAST' });
    expect(namedInputs['kernloop-files']).toContain('!{projectRoot}/count.json');
    expect(report?.inputs).toContainEqual({ fileset: '{projectRoot}/count.json', includeIgnored: true });
  });

  it('writes a file that .gitignore, recompile, judge and a running report know from the descriptor alone', () => {
    const script = `
      const { withOutputsIgnored } = require('./lib/app/ignored-outputs');
      const { topNames } = require('./lib/recompile/current-variant');
      const { readFiles } = require('./lib/task-inputs/read-files');
      const files = readFiles(['results'], { root: 'k', reproducers: [] });
      console.log(JSON.stringify([withOutputsIgnored(null, []).text.split('\\n'), topNames('k'), files]));`;
    expect(existsSync(join(copy, 'k/count.json'))).toBe(true);
    const [ignored, compiled, results] = JSON.parse(run('-r', './bin/source', '-e', script)) as string[][];
    expect(ignored).toContain('**/kernels/*/*/count.json');
    expect(readFileSync(join(copy, '.gitignore'), 'utf8').split('\n')).toContain('**/kernels/*/*/count.json');
    expect(compiled).toEqual(['kernel.json']);
    expect(results).toEqual(['k/count.json']);
  });
});
