import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { fakeReplay } from '../testing/fake-programs';
import { reproducerForEachTest } from '../testing/workspace';
import { configure } from '../stages/configure';
import { reportSchema, type Report } from './report-json';
import { stage } from './stage';
import { validate } from './validate';

/** A pass of the captured code says nothing about an existing edit. */
describe('--variant none beside an edit', () => {
  const made = reproducerForEachTest();
  const folder = 'kernels/app/saxpy';
  const none = { options: { validate: { variant: 'none' } } };

  const judge = async (
    flags: object = {},
    env: Record<string, string> = {},
  ): Promise<{ report: Report; fake: FakeDeps }> => {
    const fake = fakeDeps({ 'kernloop-replay': fakeReplay() }, made.workspace.native);
    const asked = { reproducer: made.reproducer, replays: 1, adverse: false, ...flags };
    const report = await validate(configure(stage, asked, env).values, fake);
    expect(reportSchema.parse(JSON.parse(readFileSync(join(made.reproducer, 'report.json'), 'utf8')))).toEqual(report);
    return { report, fake };
  };
  const sayInKernelJson = (): void => {
    const kernel = JSON.parse(made.workspace.read(`${folder}/kernel.json`)) as object;
    made.workspace.write(`${folder}/kernel.json`, { ...kernel, ...none });
  };

  it.each<[string, object, Record<string, string>]>([
    ['kernel.json', {}, {}],
    ['the environment', {}, { KERNLOOP_VALIDATE_VARIANT: 'none' }],
    ['a flag', { variant: 'none' }, {}],
  ])('is said first, where %s says it', async (origin, flags, env) => {
    if (origin === 'kernel.json') sayInKernelJson();
    made.workspace.write(`${folder}/kernel_variant.hip`, '__global__ void saxpy() { wrong(); }\n');
    const { report, fake } = await judge(flags, env);
    const words = 'the edit of kernel_variant.hip is NOT judged: --variant none takes the captured code';
    expect(fake.said.result.at(-1)).toContain(`Result: PASS (${words}; 4,096 bytes`);
    expect(fake.said.result[0]).toContain('the captured code (not the edit of kernel_variant.hip)');
    expect(report).toMatchObject({ code: 'captured', unjudged_edit: 'kernel_variant.hip' });
    expect(report.summary).toContain(words);
  });

  it.each(['deps/scale.h', 'mine.hsaco', 'build/candidate.hsaco'])('is said of %s as well', async (file) => {
    made.workspace.write(`${folder}/pristine/deps/scale.h`, 'captured');
    made.workspace.write(`${folder}/deps/scale.h`, 'captured');
    made.workspace.write(`${folder}/${file}`, 'edited');
    expect((await judge({ variant: 'none' })).report).toMatchObject({ unjudged_edit: file });
  });

  it('is not said where nothing was edited, or where the edit is judged', async () => {
    const { report, fake } = await judge({ variant: 'none' });
    expect(fake.said.result.at(-1)).toContain('Result: PASS (4,096 bytes');
    expect(report).not.toHaveProperty('unjudged_edit');
    made.workspace.write(`${folder}/mine.hsaco`, 'code');
    expect((await judge()).report).not.toHaveProperty('unjudged_edit');
  });
});
