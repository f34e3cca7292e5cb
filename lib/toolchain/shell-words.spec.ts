import { execFileSync } from 'node:child_process';
import { plainShellWords, shellWords } from './shell-words';

describe('shellWords', () => {
  it.each([
    ['hipcc -O3  -c\tk.hip'],
    [String.raw`hipcc -DNAME=\"a\ b\" -DPATH='"/x y"' -D"A=1 2" -c k.hip`],
    [String.raw`a "b\"c\\d\e" 'f\g' "" ''h`],
    ['a\\\nb c'],
    [String.raw`-DX="a'b" -DY='a"b'`],
  ])('cuts %j as the shell does', (line) => {
    const shell = execFileSync('/bin/sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' });
    expect(shellWords(line)).toEqual(shell.split('\n').slice(0, -1));
  });

  it('reads an unclosed quote to the end', () => {
    expect(shellWords('a "b c')).toEqual(['a', 'b c']);
  });
});

describe('plainShellWords', () => {
  it.each([
    [String.raw`/usr/bin/clang++-15  -std=c++11 -isystem "/usr/lib/clang/15.0.6/include/.." -D\'A\=1 -\#\#\# k.hip`],
    [String.raw`a "b\"c\\d\e\$x" 'f\g$x' "" ''h @x %y`],
  ])('cuts %j as the shell does', (line) => {
    const shell = execFileSync('/bin/sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' });
    expect(plainShellWords(line)).toEqual(shell.split('\n').slice(0, -1));
  });

  it.each(
    [
      [
        '$HOME',
        '"$HOME"',
        '`id`',
        '"`id`"',
        '~/x',
        '*.hip',
        'a?',
        '[a]',
        '{a,b}',
        'a;b',
        'a|b',
        'a&b',
        'a>b',
        'a<b',
        '(a)',
      ],
      ['#a', '!a', 'a\nb', 'a\\\nb', '"a\nb"', "'a\nb'", 'é', '\\\ufffd', '"a', "'a", 'a\\'],
    ].flat(),
  )('leaves %j to the shell', (word) => {
    expect(plainShellWords(`clang++ -O3 ${word}`)).toBeNull();
  });
});
