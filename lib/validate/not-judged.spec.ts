import type { Device } from '../device/device';
import type { OptionsOnDevice } from './device-options';
import { join } from 'node:path';
import { openReproducer, type Code } from '../reproducer/reproducer';
import { reproducerForEachTest, someDigest } from '../testing/workspace';
import { racesOff, unprovenSource, withLeftOut, type Beside } from './not-judged';

const otherDigest = 'b'.repeat(64);

const device = (seeded: boolean, hasPtx: boolean) => ({ seeded, hasPtx }) as Device;
const options = (adverse: boolean, delays: number) => ({ adverse, delays }) as OptionsOnDevice;

describe('the option that turns off the judgement of races', () => {
  it.each([
    ['softgpu', device(true, false), options(false, 0), 'adverse'],
    ['softgpu', device(true, false), options(true, 0), null],
    ['cuda', device(false, true), options(false, 0), 'delays'],
    ['cuda', device(false, true), options(false, 4), null],
    ['hsa, which has neither', device(false, false), options(false, 0), null],
  ])('on %s', (_name, on, given, expected) => {
    expect(racesOff(given, on)).toBe(expected);
  });
});

describe('what a pass begins with', () => {
  const beside = (ownMacros?: string[]): Beside => ({
    capture: undefined,
    code: { kind: 'variant', path: '', shown: '', sha256: '', ownMacros },
    unproven: null,
    racesOff: null,
    leftOut: [],
    otherKernels: [],
  });

  it('has the macros that the app does not define', () => {
    expect(withLeftOut('all bytes', 'pass', beside(['BLOCK=128', 'VEC=4']))).toBe(
      "NOT the app's macros: BLOCK=128, VEC=4; all bytes",
    );
    expect(withLeftOut('all bytes', 'pass', beside())).toBe('all bytes');
    expect(withLeftOut('one byte', 'fail', beside(['BLOCK=128']))).toBe('one byte');
  });

  it('says of a source that did not recompile to the captured code that it is not proven', () => {
    const unproven = { ...beside(), unproven: 'kernel_variant.hip' };
    const words =
      'NOT proven: that kernel_variant.hip was the captured kernel before the edit (it did not recompile to it)';
    expect(withLeftOut('all bytes', 'pass', unproven)).toBe(`${words}; all bytes`);
    // The difference may be the reason of a failure.
    expect(withLeftOut('one byte', 'fail', unproven)).toBe(`one byte; ${words}`);
    const captured = (unjudged?: { file: string; words: string }): Beside => ({
      ...unproven,
      code: { kind: 'captured', unjudged },
    });
    expect(withLeftOut('all bytes', 'pass', captured())).toBe(
      'NOT judged: kernel_variant.hip, which is not proven to be its source; all bytes',
    );
    const edit = { file: 'kernel_variant.hip', words: 'the edit of kernel_variant.hip' };
    expect(withLeftOut('all bytes', 'pass', captured(edit))).toBe(
      'the edit of kernel_variant.hip is NOT judged: --variant none takes the captured code; all bytes',
    );
  });
});

describe('a source that is not proven', () => {
  const made = reproducerForEachTest();
  const recipe = (code: object) =>
    made.workspace.write('kernels/app/saxpy/pristine/recipe.json', {
      code_object: { captured: someDigest, recompiled: someDigest, ...code },
    });
  const build = (file: string): Code => ({
    ...{ kind: 'variant', path: join(made.reproducer, file), shown: file, sha256: someDigest },
  });
  const of = (code: Code) => unprovenSource(openReproducer(made.reproducer), code);

  it.each<[string, object]>([
    ['the same code object', {}],
    ['the same machine code', { recompiled: otherDigest, same_machine_code: true }],
  ])('is none that recompiles to %s', (_, code) => {
    recipe(code);
    expect(of(build('build/variant.hsaco'))).toBeNull();
  });

  it('is one that recompiles to other code, and not where a code object of the user is judged', () => {
    recipe({ recompiled: otherDigest });
    expect(of(build('build/variant.hsaco'))).toBe('kernel_variant.hip');
    expect(of({ kind: 'captured' })).toBe('kernel_variant.hip');
    expect(of(build('mine.hsaco'))).toBeNull();
  });
});
