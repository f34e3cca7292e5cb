import { fillTemplate, shapeOf, templateOf } from './hipcc-words';

describe('what hipcc sees of a word', () => {
  it.each([
    ['/a/b c/k.hip', '{}.hip'],
    ['/a/k', '{}'],
    ['/a/v.partial-12', '{}'],
    ['/a/v.partial-12.d', '{}.d'],
    ['-I/a/inc', '-I{}'],
    ['-ffile-prefix-map=/a/k=.', '-ffile-prefix-map={}=.'],
    ['-fmacro-prefix-map=/a/deps=/b/deps', '-fmacro-prefix-map={}={}'],
  ])('of %j is the extension of its paths', (word, shape) => expect(shapeOf(word)).toBe(shape));

  it.each([
    ['-DN=4'],
    ['k.hip'],
    ['../a/k.hip'],
    ['-O3'],
    ['/a/--genco/k'],
    ['-x=/a/-Wl,b'],
    ['/a-fopenmp-targets=b'],
    [' /a/k'],
    ['/a/k '],
    ['/a/{}/k'],
    ['@/a/options'],
    ['-DX="/a"'],
  ])('of %j is all of it', (word) => expect(shapeOf(word)).toBe(word));

  it('are its characters as far as they are not of plain paths', () => {
    expect(shapeOf('/a/b,--genco')).toBe('{},--genco');
    expect(shapeOf('/a/é')).toBe('{}é');
  });
});

describe('a template', () => {
  const args = ['-c', '/a/k.hip', '-o', '/a/v', '-I/a'];

  it('has the paths of other arguments of the same shapes', () => {
    const template = templateOf(['/usr/bin/clang', '-x', 'hip', '-I/a', '/a/k.hip', '-c', '-o', '/a/v'], args);
    expect(template).toEqual(['/usr/bin/clang', '-x', 'hip', '{4}', '{1}', '-c', '-o', '{3}']);
    const filled = fillTemplate(template ?? [], ['-c', '/b/l.hip', '-o', '/b/w', '-I/c']);
    expect(filled).toEqual(['/usr/bin/clang', '-x', 'hip', '-I/c', '/b/l.hip', '-c', '-o', '/b/w']);
  });

  it.each([
    ['leaves a path out', ['clang', '-I/a', '/a/k.hip']],
    ['doubles one', ['clang', '-I/a', '/a/k.hip', '/a/v', '/a/v']],
    ['gives one path where two of the command are the same', ['clang', '-I/a', '/a/k.hip', '/a/v'], [...args, '-I/a']],
    ['gives the same path twice', ['clang', '-I/a', '-I/a', '/a/k.hip', '/a/v'], [...args, '-I/a']],
    ['puts words together', ['clang', '-I/a', '/a/k.hip', '-o/a/v']],
    ['has a word like a place of the template', ['clang', '-I/a', '/a/k.hip', '/a/v', '{0}']],
  ])('is none where the answer %s', (_, answer, given = args) => expect(templateOf(answer, given)).toBeNull());
});
