import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { problemsIn } from '../generators/testing/problems';
import { schemaErrors } from '../lib/testing/published-schema';
import { Workspace } from './in-process';
import { addProbeApp } from './probe';

/** Variants that fail in other ways than by a wrong result: each ends in a clear verdict, within its limit. */
describe('variants that go wrong', () => {
  let workspace: Workspace;
  const project = 'kernels/outputs/two_outputs';
  const options = ['--reproducer', project];
  let original = '';

  beforeAll(async () => {
    workspace = Workspace.create([]);
    // A kernel.json names the schema of the packages installed when it is written.
    workspace.withPackages();
    const app = await addProbeApp(workspace, 'outputs', ['outputs'], [{ name: 'two_outputs', match: 'two_outputs' }]);
    const outcome = await workspace.kernloop(['extract', '--app', app]);
    expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
    original = workspace.read(`${project}/kernel_variant.hip`);
  });
  afterAll(() => workspace.remove());

  it('kernel.json names the schema of the installed package, and is as it says', () => {
    const config = JSON.parse(workspace.read(`${project}/kernel.json`)) as { $schema: string };
    const schema = JSON.parse(workspace.read(join(project, config.$schema))) as object;
    expect(schema).toHaveProperty('$id', 'kernloop/schemas/kernel.schema.json');
    expect([config.$schema, schemaErrors('kernel', config)]).toEqual([
      '../../../node_modules/kernloop/schemas/kernel.schema.json',
      [],
    ]);
  });

  const tryVariant = async (replacement: string) => {
    workspace.write(`${project}/kernel_variant.hip`, original);
    workspace.edit(`${project}/kernel_variant.hip`, (text) => text.replace('first[i] = in[i] * 3;', replacement));
    const built = await workspace.kernloop(['recompile', ...options]);
    if (built.code !== 0) return { built, verdict: undefined };
    return { built, verdict: await workspace.kernloop(['validate', ...options]) };
  };

  afterEach(async () => {
    // The baseline still replays after any effect of the variant.
    const baseline = await workspace.kernloop(['validate', ...options, '--variant', 'none']);
    expect([baseline.code, baseline.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
  });

  it('one that spins for ever is stopped by the instruction limit', async () => {
    const { verdict } = await tryVariant('first[i] = in[i] * 3; while (*(volatile int*)in != 12345) {}');
    expect([verdict?.code, verdict?.text]).toEqual([4, expect.stringMatching(/wave-instructions/)]);
  });

  it('one that writes through a wild pointer faults with kernel, pc, lane and address', async () => {
    const { verdict } = await tryVariant('first[i] = in[i] * 3; if (i == 70) *(int*)0x123456789000 = 1;');
    expect([verdict?.code, verdict?.text]).toEqual([4, expect.stringMatching(/two_outputs[^]*0x123456789000/)]);
    expect(verdict?.text).toMatch(/lane 6\b/);
  });

  it('one that prints faults in a direct launch, which names --launch hip, and is judged with that', async () => {
    const { verdict } = await tryVariant(
      'first[i] = in[i] * 3; if (i == 70) printf("seventy is %d\\n", (int)first[i]);',
    );
    expect([verdict?.code, verdict?.text]).toEqual([
      4,
      expect.stringMatching(/hidden_hostcall_buffer[^]*--launch hip/),
    ]);
    const throughHip = await workspace.kernloop(['validate', ...options, '--launch', 'hip']);
    expect([throughHip.code, throughHip.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
    const unreached = await tryVariant('first[i] = in[i] * 3; if (i == -1) printf("never %d\\n", (int)first[i]);');
    expect([unreached.verdict?.code, unreached.verdict?.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
  });

  it('one without the captured symbol names the nearest', async () => {
    workspace.write(`${project}/kernel_variant.hip`, original.replaceAll('two_outputs', 'two_output'));
    const built = await workspace.kernloop(['recompile', ...options]);
    expect([built.code, built.text]).toEqual([
      2,
      expect.stringMatching(/no kernel _Z11two_outputs\w+; it has _Z10two_output\w+.*\[SYMBOL_MISSING\]/),
    ]);
    // No code is left that could be taken for the current source's.
    expect(existsSync(workspace.path(project, 'build/variant.hsaco'))).toBe(false);
    workspace.write(`${project}/kernel_variant.hip`, original);
  });

  it('one that also writes a byte of another region fails', async () => {
    const { verdict } = await tryVariant('first[i] = in[i] * 3; if (i == 5) ((char*)in)[4097 % (n * 4)] ^= 1;');
    expect([verdict?.code, verdict?.text]).toEqual([1, expect.stringMatching(/Result: FAIL/)]);
    // Problems that an editor lists with the matchers of `nx g kernloop:init --editor=vscode`.
    const lines = workspace.read(`${project}/kernel_variant.hip`).split('\n');
    const line = String(lines.findIndex((text) => text.includes('if (i == 5)')) + 1);
    expect(problemsIn(verdict?.text ?? '', 'validate')).toEqual([
      {
        file: `${project}/kernel_variant.hip`,
        line,
        severity: 'error',
        message: expect.stringMatching(/^FAIL \(/) as string,
      },
    ]);
  });

  it('one that writes a byte of the padding beside the output fails', async () => {
    const { verdict } = await tryVariant('first[i] = in[i] * 3; if (i == 5) ((char*)first)[n * 4 + 3] = 1;');
    expect([verdict?.code, verdict?.text]).toEqual([1, expect.stringMatching(/Result: FAIL/)]);
  });

  it('one that does not compile shows what the compiler said, and leaves no code object behind', async () => {
    const { built } = await tryVariant('first[i] = undeclared_name;');
    expect([built.code, built.text]).toEqual([1, expect.stringMatching(/undeclared_name/)]);
    expect(problemsIn(built.text, 'recompile')).toEqual([
      {
        file: workspace.path(project, 'kernel_variant.hip'),
        line: expect.stringMatching(/^\d+$/) as string,
        column: expect.stringMatching(/^\d+$/) as string,
        severity: 'error',
        message: "use of undeclared identifier 'undeclared_name'",
      },
    ]);
    workspace.write(`${project}/kernel_variant.hip`, original);
  });

  it('a verdict is never taken from a code object older than the source', async () => {
    await tryVariant('first[i] = in[i] * 3;' + ' ');
    workspace.edit(`${project}/kernel_variant.hip`, (text) => text.replace('in[i] * 3', 'in[i] * 4'));
    const stale = await workspace.kernloop(['validate', ...options, '--no-recompile']);
    expect([stale.code, stale.text]).toEqual([2, expect.stringMatching(/recompile/)]);
    expect(readFileSync(workspace.path(project, 'kernel_variant.hip'), 'utf8')).toContain('* 4');
  });
});
