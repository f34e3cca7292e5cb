import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldersWithLeftovers, isWritten, noInputs, notCommitted, notSources, outputsOf, resultFiles } from './writes';

describe('what stages write into a reproducer', () => {
  it('is no source, and neither are the files that only people read', () => {
    expect([...notSources].sort()).toEqual([
      ...['Makefile', 'README.md', 'build', 'capture', 'capture.lock', 'captures', 'judged.json', 'pgo', 'pristine'],
      ...['pushed.json', 'report.json', 'trace'],
    ]);
  });

  it('is no input of a task as such, but for pristine/, from which stages compile', () => {
    expect([...noInputs].sort()).toEqual([
      ...['Makefile', 'README.md', 'build/**/*', 'capture.lock', 'capture/**/*', 'captures/**/*', 'judged.json'],
      ...['pgo/**/*', 'pushed.json', 'report.json', 'trace/**/*'],
    ]);
  });

  it('is what .gitignore of this checkout leaves out, but for what no stage can write again', () => {
    const lines = readFileSync(join(__dirname, '..', '..', '.gitignore'), 'utf8').split('\n');
    const start = '**/kernels/*/*/';
    const ignored = lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
    expect([...notCommitted].sort()).toEqual(ignored.sort());
    expect(notCommitted).not.toContain('pushed.json');
  });

  it('has results for the report', () => {
    expect([...resultFiles].sort()).toEqual([
      ...['build/results/*', 'build/tune/tune.json', 'capture/capture.json', 'capture/observed.json'],
      ...['captures/*/capture.json', 'captures/*/observed.json', 'pgo/choice.json', 'pgo/instrumented/map.json'],
      ...[
        'pgo/merged.json',
        'pgo/merged.waves.json',
        'pgo/variants/*.report.json',
        'report.json',
        'trace/**/probe-run.json',
      ],
    ]);
  });

  it('is told from files of the user in build/', () => {
    const names = ['variant.hsaco', 'variant.json', 'variant.ptx', 'results/a.json', 'tune/tune.json', 'report.html'];
    expect(names.filter((name) => !isWritten(`build/${name}`))).toEqual([]);
    expect(['mine.h', 'variants.h', 'tune.h', 'optimized.hsaco'].filter((name) => isWritten(`build/${name}`))).toEqual(
      [],
    );
  });

  it('leaves temporary files beside it when it is killed; those beside a capture belong to its recorder', () => {
    expect([...foldersWithLeftovers].sort()).toEqual(['', 'build', 'pgo']);
  });
});

it('outputs of a task are files and folders without a slash, and none that the cache does not bring back', () => {
  const writes = [{ path: '{reproducer}/trace/' }, { path: '{reproducer}/lock', restored: false } as const];
  expect(outputsOf(writes)).toEqual(['{reproducer}/trace']);
});
