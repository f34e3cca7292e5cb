import { buildOutput } from './build-output';

const of = (line: string, stated?: string): string =>
  buildOutput(line.split(' '), { directory: '/b', file: '/s/k.cu', stated });

describe('buildOutput', () => {
  it.each([
    ['-c k.cu -o x/k.o', '/b/x/k.o'],
    ['-c k.cu -ox/k.o', '/b/x/k.o'],
    ['-c k.cu -o=k.o', '/b/k.o'],
    ['-c k.cu --output-file k.o', '/b/k.o'],
    ['-c k.cu --output-file=/abs/k.o', '/abs/k.o'],
    ['-c k.cu -o first.o -o last.o', '/b/last.o'],
    ['-dc k.cu', '/b/k.o'],
    ['k.cu', '/b/a.out'],
    // Options with a common prefix.
    ['-c k.cu -openmp-version 5 -o k.o', '/b/k.o'],
  ])('%s', (line, output) => {
    expect(of(line)).toBe(output);
  });

  it('takes the word of the database for it', () => {
    expect(of('-c k.cu -o k.o', 'sub/k.cu.o')).toBe('/b/sub/k.cu.o');
  });
});
