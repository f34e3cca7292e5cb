import { validate } from '../validate/validate';
import { validateOptionsSchema } from '../validate/options';
import { fakeDeps } from '../testing/fake-deps';
import { fakeReplay } from '../testing/fake-programs';
import { reproducerForEachTest, writeVariant } from '../testing/workspace';
import { dependsOnPlace } from './place-dependence';
import type { CompileRequest } from '../toolchain/compile-request';

const check = '#define CHECK(call) check(call, #call, __FILE__, __LINE__)\n';

describe('a variant whose data are other ones where it is compiled elsewhere', () => {
  const made = reproducerForEachTest();
  const deps = () => fakeDeps({ 'kernloop-replay': fakeReplay() }, made.workspace.native);

  it.each([
    [
      true,
      /^Result: PASS \(races NOT judged \(adverse is off\); NOT judged: what the variant makes of where and when it is compiled \(__FILE__, __DATE__\)/,
    ],
    [undefined, /^Result: PASS \(races NOT judged \(adverse is off\); 4,096 bytes/],
  ])('is told of ahead of a pass: %s', async (dependent, said) => {
    writeVariant(made.workspace);
    const path = 'kernels/app/saxpy/build/variant.json';
    const variant = JSON.parse(made.workspace.read(path)) as object;
    made.workspace.write(path, { ...variant, place_dependent: dependent });
    const fake = deps();
    await validate(validateOptionsSchema.parse({ reproducer: made.reproducer, adverse: false }), fake);
    expect(fake.said.result.at(-1)).toMatch(said);
  });

  it.each([
    ['where nvcc compiles a source that asks twice', 'nvcc', 'int f() { return __FILE__[0] == __FILE__[1]; }', true],
    ['where it asks more often than that of the app', 'nvcc', `${check} int f() { return __FILE__[0]; }`, true],
    ['not where it asks as that of the app does', 'nvcc', `${check} int edited;`, false],
    ['not where it only pastes names', 'nvcc', '#define CAT(a, b) a##b', false],
    ['not of a source that asks for nothing', 'nvcc', 'int file;', false],
  ])('is taken for one by its text, %s', async (_name, name, text, expected) => {
    made.workspace.write('kernels/app/saxpy/kernel_variant.cu', text);
    made.workspace.write('kernels/app/saxpy/pristine/kernel_variant.cu', check);
    const recipe = { compiler: { name, version: null }, variant: { file: 'kernel_variant.cu', stands_for: 'k.cu' } };
    const request = { reproducer: made.reproducer, recipe, output: '' } as unknown as CompileRequest;
    const fake = deps();
    expect(await dependsOnPlace(request, { sources: { 'kernel_variant.cu': '' }, outside: [] }, fake)).toBe(expected);
    expect(fake.calls).toEqual([]);
  });
});
