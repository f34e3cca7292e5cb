import { isNeutral, partsOf, systemIncludes, textOf } from './preprocessed';

const text = (...lines: string[]): string => lines.join('\n');

describe('preprocessed text', () => {
  const all = partsOf(
    text(
      '# 1 "/k/kernel_variant.hip"',
      '#include "a \\"b.h" /* clang -E -dI */',
      '# 1 "/k/kernel_variant.hip"',
      '# 1 "/k/a \\"b.h" 1',
      '',
      '#include <cmath> /* clang -E -dI */',
      '# 2 "/k/a \\"b.h"',
      '# 1 "/usr/include/cmath" 1 3',
      'double sin(double);',
      '# 3 "/k/a \\"b.h" 2',
      '#include <already> /* clang -E -dI */',
      '#define OWN 3',
      '# 2 "/k/kernel_variant.hip" 2',
      'int kernel;',
      '',
    ),
  );

  it('has the file, the line and the kind of each part', () => {
    expect(all.map(({ file, line, isSystem }) => [file, line, isSystem])).toEqual([
      ['/k/kernel_variant.hip', 1, false],
      ['/k/kernel_variant.hip', 1, false],
      ['/k/a "b.h', 1, false],
      ['/k/a "b.h', 2, false],
      ['/usr/include/cmath', 1, true],
      ['/k/a "b.h', 3, false],
      ['/k/kernel_variant.hip', 2, false],
    ]);
  });

  it('names headers of the system that files of the user enter, and no others', () => {
    expect(systemIncludes(all)).toEqual(['<cmath>']);
  });

  it('is compared by what it declares and defines', () => {
    expect(textOf(all, true)).toBe('double sin(double);');
    expect(textOf(all, false)).toBe('#define OWN 3\nint kernel;');
  });

  it('is the same if a macro ends where it begins, and another one if it stays', () => {
    const header = (...lines: string[]) => textOf(partsOf(text('# 1 "/usr/a.h" 1 3', 'int a;', ...lines)), true);
    expect(header('#define AGAIN ', '#undef AGAIN')).toBe(header());
    expect(header('#define AGAIN ')).not.toBe(header());
    expect(header('#define AGAIN ', 'int b;', '#undef AGAIN')).not.toBe(header());
    expect(header('#define ONE ', '#undef TWO')).not.toBe(header());
  });

  it.each([
    ['a macro', '#define A', true],
    ['a closed brace', 'namespace a { int b; }', true],
    ['an open namespace', 'namespace a {', false],
    ['a pragma', '#pragma clang fp contract(off)', false],
    ['a pragma in a macro', '_Pragma("pack(1)")', false],
    ['an include guard', '#pragma once', true],
  ])('of %s before a header leaves it as it is or does not', (_name, line, expected) => {
    const parts = partsOf(
      text('# 1 "/k/a.h"', line, '# 1 "/usr/b.h" 1 3', 'int b;', '# 3 "/k/a.h" 2', 'namespace c {'),
    );
    expect(isNeutral(parts)).toBe(expected);
  });
});
