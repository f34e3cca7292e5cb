import { chooseDispatches } from '../replay/captured-dispatches';
import { openReproducer } from '../reproducer/reproducer';
import { sha256OfFile } from '../support/files';
import { reproducerForEachTest, someDigest } from '../testing/workspace';
import { candidateOptions, decidedHere, judgingIn, newFiles, type DecidedHere } from './decided-by';
import { judgeOptionsSchema, type JudgeOptions } from './options';

describe('what decides a verdict', () => {
  const made = reproducerForEachTest();

  const decided = (given: Partial<JudgeOptions> = {}): DecidedHere => {
    const reproducer = openReproducer(made.reproducer);
    const options = candidateOptions(reproducer, judgeOptionsSchema.parse({ candidate: ['x'], ...given }));
    const { chosen } = chooseDispatches(reproducer, options.capture, 'all');
    return decidedHere(reproducer, chosen, options, judgingIn(reproducer, options));
  };

  it('is kernel.json, the captures with their self-checks, the recipe and the settings', () => {
    const digest = (name: string): string => sha256OfFile(`${made.reproducer}/${name}`);
    made.workspace.write('kernels/app/saxpy/pristine/recipe.json', { code_object: { captured: someDigest } });
    made.workspace.write('kernels/app/saxpy/pristine/overlay.template.json', {});
    expect(decided()).toEqual({
      kernel_json: digest('kernel.json'),
      captures: [{ dispatch: 1, capture: digest('capture/capture.json'), selfcheck: digest('capture/selfcheck.json') }],
      recipe: digest('pristine/recipe.json'),
      overlay: digest('pristine/overlay.template.json'),
      settings: expect.objectContaining({ device: 'softgpu', inputs: 4, replays: 2, limitSeconds: 10 }) as object,
    });
  });

  it('has derived inputs unless HIP launches the kernel, which does not show what is read', () => {
    expect(decided({ launch: 'hip' }).settings).toMatchObject({ inputs: 0 });
    expect(decided({ launch: 'hip', inputs: 2 }).settings).toMatchObject({ inputs: 2 });
    expect(decided({ launch: 'direct' }).settings).toMatchObject({ inputs: 4 });
  });

  it('has records of arrays if any are given: reports of versions without that setting stay good', () => {
    expect(decided().settings).not.toHaveProperty('inputsRecord');
    expect(decided({ inputsRecord: ['x=18'] }).settings).toMatchObject({ inputsRecord: ['x=18'] });
  });

  it('says "none" of a file that is not there', () => {
    expect(decided().recipe).toBe('none');
  });

  it('is the same on another machine: neither paths nor numbers of GPUs are in it', () => {
    expect(decided({ gpu: '1', store: '/elsewhere', capture: '1' })).toEqual(decided());
  });

  it('has each setting, of the judge ahead of those of the app', () => {
    made.workspace.write('app/kernloop.json', {
      ...{ name: 'app', command: ['./program'], kernels: [] },
      options: { validate: { atol: 0.5, inputs: 2 } },
    });
    expect(decided().settings).toMatchObject({ atol: 0.5, inputs: 2 });
    expect(decided({ inputs: 0, rtol: 0.1 }).settings).toMatchObject({ atol: 0.5, inputs: 0, rtol: 0.1 });
  });
});

describe('files that were not there, but could be read now', () => {
  const made = reproducerForEachTest();
  const added = (sources: Record<string, string>, others: readonly string[]): string[] => {
    for (const [name, text] of Object.entries(sources)) made.workspace.write(`kernels/app/saxpy/${name}`, text);
    return newFiles(made.reproducer, [...Object.keys(sources), ...others], Object.keys(sources));
  };

  it('are those of deps/, and those that an #include or a macro names', () => {
    const source = '#include "range.h"\n#define OTHER <sys/clamp.h>\n#if __has_include(<x>)\n#endif\n';
    expect(
      added({ 'kernel_variant.hip': source, 'deps/range.h': '' }, ['range.h', 'clamp.h', 'deps/new.h', 'notes.md']),
    ).toEqual(['clamp.h', 'deps/new.h', 'range.h']);
  });

  it.each([
    ['#define OTHER <\n#include OTHER range.h>\n'],
    ['#define TEXT(name) #name\n#if __has_include(TEXT(range.h))\n#endif\n'],
    ['#define TEXT(name) #name\n#include TEXT(range.h)\n'],
    ['#define HAS __has_include\n'],
    ['#define HAS __has_\\\ninclude\n'],
    ['#define JOIN(a, b) a##b\n#if JOIN(__has_, include)(<x>)\n#endif\n'],
  ])('are all files if a macro may make the name: %j', (source) => {
    expect(added({ 'kernel_variant.hip': source }, ['range.h', 'notes.md'])).toEqual(['notes.md', 'range.h']);
  });

  it.each([
    ['#if __has_include("other.h")\n#include "other.h"\n#endif\n'],
    ['#include <hip/hip_runtime.h>\n#define JOIN(a, b) a##b\n'],
  ])('are not those that no text names: %j', (source) => {
    expect(added({ 'kernel_variant.hip': source }, ['range.h', 'notes.md'])).toEqual([]);
  });

  it('are all modules beside a script, which an import may find', () => {
    expect(added({ 'reproducer.py': 'import numpy' }, ['numpy.py', 'numpy.so', 'notes.md'])).toEqual([
      'numpy.py',
      'numpy.so',
    ]);
  });
});
