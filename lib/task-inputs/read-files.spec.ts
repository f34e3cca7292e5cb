import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { removeLeftovers } from '../reproducer/leftovers';
import { partialOf } from '../support/leftovers';
import { readFiles } from './read-files';

describe('files of a reproducer that a task reads', () => {
  let root: string;
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'kernloop-read-'))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string): string => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '{}');
    return join(root, path);
  };

  it('are results of every stage, at any depth of a trace', () => {
    const results = [
      ...['capture/capture.json', 'captures/2/observed.json', 'report.json', 'build/results/a.json'],
      ...['build/tune/tune.json', 'pgo/choice.json', 'pgo/variants/off.report.json'],
      ...['trace/probe-run.json', 'trace/a/b/probe-run.json'],
    ].map(write);
    ['kernel.json', 'build/variant.json', 'trace/a/result.bin', 'pgo/variants/build.json', 'probe-run.json'].forEach(
      write,
    );
    expect(readFiles(['results'], { root, reproducers: [] }).sort()).toEqual(results.sort());
  });

  it('are none of killed runs, which the next recompile removes, but beside a capture', () => {
    const dead = (path: string): string => partialOf(path).replace(/\d+$/, '999999999');
    const own = ['report.json', 'build/variant.hsaco', 'pgo/merged.profdata'].map((path) => write(dead(path)));
    const recorders = write(dead('capture'));
    const running = write(partialOf('pgo/raw'));
    removeLeftovers(root);
    expect([...own, recorders, running].map((path) => existsSync(path))).toEqual([false, false, false, true, true]);
  });
});
