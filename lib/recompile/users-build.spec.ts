import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openReproducer } from '../reproducer/reproducer';
import { sha256 } from '../support/files';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { reproducerForEachTest, writeVariant } from '../testing/workspace';
import { keepUsersBuild } from './users-build';

/** Users may well run `hipcc -o build/variant.hsaco` by hand. */
describe('a file of the user in build/ where recompile writes', () => {
  const made = reproducerForEachTest();
  const root = 'kernels/app/saxpy';
  const build = (...names: string[]): string => join(made.reproducer, 'build', ...names);
  const output = (): string => build('variant.hsaco');
  const keep = (): FakeDeps => {
    const deps = fakeDeps({}, made.workspace.native);
    keepUsersBuild(openReproducer(made.reproducer), output(), deps);
    return deps;
  };
  const inBuild = (): string[] => readdirSync(build()).sort();

  it('is kept beside it, and told', () => {
    made.workspace.write(`${root}/build/variant.hsaco`, 'mine');
    made.workspace.write(`${root}/build/notes.txt`, 'mine too');
    const { said } = keep();
    expect(inBuild()).toEqual(['notes.txt', 'variant.kept-1.hsaco']);
    expect(readFileSync(build('variant.kept-1.hsaco'), 'utf8')).toBe('mine');
    expect(said.warn.join()).toContain(
      'build/variant.hsaco is none that `kernloop recompile` built: it is kept as build/variant.kept-1.hsaco',
    );
  });

  it('is kept where it was put over what recompile built, each with a name of its own', () => {
    writeVariant(made.workspace);
    for (const text of ['mine', 'mine', 'another']) {
      made.workspace.write(`${root}/build/variant.hsaco`, text);
      keep();
    }
    expect(inBuild()).toEqual(['variant.json', 'variant.kept-1.hsaco', 'variant.kept-2.hsaco']);
    expect(readFileSync(build('variant.kept-2.hsaco'), 'utf8')).toBe('another');
  });

  it('is kept where it is a variant.json of another program', () => {
    made.workspace.write(`${root}/build/variant.json`, { of: 'mine' });
    keep();
    expect(inBuild()).toEqual(['variant.kept-1.json']);
  });

  it.each<[string, () => void]>([
    ['a folder', () => mkdirSync(output())],
    ['a FIFO', () => execFileSync('mkfifo', [output()])],
    ['a link', () => symlinkSync(made.workspace.write('precious', 'code object'), output())],
  ])('is kept where it is %s', (_what, make) => {
    mkdirSync(build());
    make();
    keep();
    expect(inBuild()).toEqual(['variant.kept-1.hsaco']);
  });

  it('is kept where it is PTX, which recompile of CUDA writes too', () => {
    const keepPtx = (): void => {
      keepUsersBuild(openReproducer(made.reproducer), output(), fakeDeps({}, made.workspace.native), {
        writesPtx: true,
      });
    };
    writeVariant(made.workspace, { ptx_sha256: sha256('ours') });
    made.workspace.write(`${root}/build/variant.ptx`, 'ours');
    keepPtx();
    expect(inBuild()).toEqual(['variant.hsaco', 'variant.json', 'variant.ptx']);
    made.workspace.write(`${root}/build/variant.ptx`, 'mine');
    keep();
    expect(inBuild()).toContain('variant.ptx');
    keepPtx();
    expect(inBuild()).toEqual(['variant.hsaco', 'variant.json', 'variant.kept-1.ptx']);
  });

  it('is nothing that recompile built', () => {
    writeVariant(made.workspace);
    const { said } = keep();
    expect([inBuild(), said.warn]).toEqual([['variant.hsaco', 'variant.json'], []]);
  });
});
