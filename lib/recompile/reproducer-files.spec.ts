import { thrown } from '../testing/failure';
import { reproducerForEachTest } from '../testing/workspace';
import { refuseReproducerFiles } from './reproducer-files';

describe('what a source asks for', () => {
  const made = reproducerForEachTest();
  const check =
    (text: string, file = 'kernel_variant.hip') =>
    (): void => {
      made.workspace.write(`kernels/app/saxpy/${file}`, text);
      refuseReproducerFiles(made.reproducer, [file]);
    };

  it.each([
    ['#if __has_include("kernel.json") || 0', 'kernel.json'],
    ['#if __has_include ( "pristine/recipe.json" )', 'pristine/recipe.json'],
    ['#if defined(__clang__) && __has_include(<capture/capture.json>)', 'capture/capture.json'],
    ['#include "capture/../report.json"', 'report.json'],
    ['  #  include_next "README.md"', 'README.md'],
    ['#embed "capture/chunks.pack"', 'capture/chunks.pack'],
    ['asm(".incbin \\"captures/2/chunks.pack\\"");', 'captures/2/chunks.pack'],
    ['#if __has_include("build/variant.json")', 'build/variant.json'],
  ])('may not be what Kernloop wrote beside it: %s', (line, file) => {
    const error = thrown(check(`// first\n${line}\n`));
    expect(error).toMatchObject({ code: 'SOURCE_DEPENDS_ON_REPRODUCER' });
    expect(error.what).toContain(`kernel_variant.hip asks for ${file},`);
  });

  it.each([
    ['#if __has_include("kernel_variant.hip")', 'kernel_variant.hip'],
    ['#if __has_include("deps/inc/scale.h")', 'deps/inc/scale.h'],
    ['#if __has_include(<./deps/inc/scale.h>)', 'deps/inc/scale.h'],
    ['#if __has_include("project.json")', 'project.json'],
    ['#if __has_\\\ninclude("kernel.json")', 'kernel.json'],
  ])('may not be what lies elsewhere in the app: %s', (line, file) => {
    made.workspace.write('kernels/app/saxpy/deps/inc/scale.h', 'of the app');
    expect(thrown(check(`${line}\n`)).what).toContain(`kernel_variant.hip asks for ${file},`);
  });

  it('may not be a file outside of the reproducer by a path that leads elsewhere from the folder of the app', () => {
    made.workspace.write('kernels/app/step/kernel_variant.hip', 'of another kernel');
    const asks = '#if __has_include("../step/kernel_variant.hip")\n';
    expect(thrown(check(asks)).what).toContain(
      'kernel_variant.hip asks for ../step/kernel_variant.hip, outside of the',
    );
    // The app's own text has the same line.
    made.workspace.write('kernels/app/saxpy/pristine/kernel_variant.hip', asks);
    check(asks)();
    // Nothing is there.
    check('#include "../none/kernel_variant.hip"\n')();
    // If the app has no such file, the compiler ends with an error there.
    check('#include "../step/kernel_variant.hip"\n')();
    // A whole path leads to the same place from everywhere.
    check(`#if __has_include("${made.workspace.path('kernels/app/step/kernel_variant.hip')}")\n`)();
  });

  it('names the file that asks, and not the one that it asks for', () => {
    made.workspace.write('kernels/app/saxpy/README.md', 'of Kernloop');
    made.workspace.write('kernels/app/saxpy/kernel_variant.hip', '#if __has_include("README.md")\n');
    const error = thrown(() => refuseReproducerFiles(made.reproducer, ['README.md', 'kernel_variant.hip']));
    expect(error.what).toContain('kernel_variant.hip asks for README.md,');
  });

  it('nor by a whole path, from a header, or by a name that macros spell and the compiler read', () => {
    const whole = made.workspace.path('kernels/app/saxpy/kernel.json');
    expect(thrown(check(`#if __has_include("${whole}")`))).toMatchObject({ code: 'SOURCE_DEPENDS_ON_REPRODUCER' });
    expect(thrown(check('#if __has_include("../../kernel.json")', 'deps/inc/scale.h'))).toMatchObject({
      code: 'SOURCE_DEPENDS_ON_REPRODUCER',
    });
    expect(thrown(() => refuseReproducerFiles(made.reproducer, ['kernel.json']))).toMatchObject({
      code: 'SOURCE_DEPENDS_ON_REPRODUCER',
    });
  });

  it.each([
    ['kernel_variant.hip', '#include "mine.h"\n#include <hip/hip_runtime.h>\n#include "deps/inc/kernel.json.h"'],
    [
      'kernel_variant.hip',
      '#include "build/generated.h"\n#include "pristine.h"\n// see kernel.json, "capture/capture.json"',
    ],
    // A file of the app beside the file that includes it.
    ['deps/inc/scale.h', '#if __has_include("deps/mine.h")\n#include "kernel_variant.h"'],
    ['deps/inc/scale.h', '#if __has_include("README.md")\n#include "capture/begin.h"\n#include "../kernel.json"'],
  ])('may be anything else: %s, %j', (file, text) => {
    for (const name of ['README.md', 'capture/begin.h', '../kernel.json'])
      made.workspace.write(`kernels/app/saxpy/deps/inc/${name}`, 'of the app');
    expect(check(text, file)).not.toThrow();
  });
});
