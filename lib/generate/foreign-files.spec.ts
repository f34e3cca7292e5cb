import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sha256 } from '../support/files';
import { thrown } from '../testing/failure';
import { foreignFiles, refuseForeignFiles } from './foreign-files';

describe('files of pristine/ that are the user’s', () => {
  let pristine: string;
  const write = (path: string, text = path): void => {
    mkdirSync(dirname(join(pristine, path)), { recursive: true });
    writeFileSync(join(pristine, path), text);
  };
  const generated = ['kernel_variant.hip', 'deps/inc/a.h'];

  beforeEach(() => {
    pristine = mkdtempSync(join(tmpdir(), 'kernloop-pristine-'));
    for (const file of [
      ...generated,
      'deps/src/k.hip',
      'kernel.json',
      'Makefile',
      'README.md',
      'overlay.template.json',
    ])
      write(file);
    const files = Object.fromEntries(generated.map((path) => [path, { origin: path, sha256: sha256(path) }]));
    write('recipe.json', JSON.stringify({ files, variant: { file: 'kernel_variant.hip', stands_for: 'src/k.hip' } }));
  });
  afterEach(() => rmSync(pristine, { recursive: true }));

  it('are none where everything is as it was generated', () => {
    expect(foreignFiles(pristine)).toEqual([]);
    expect(() => refuseForeignFiles(pristine)).not.toThrow();
    expect(foreignFiles(join(pristine, 'nowhere'))).toEqual([]);
  });

  it('are what generate did not write, links too, and what was edited since', () => {
    write('notes.txt');
    write('deps/inc/mine.h');
    write('kernel_variant.hip', 'edited in the wrong place');
    symlinkSync('/nowhere', join(pristine, 'deps', 'link'));
    expect(foreignFiles(pristine)).toEqual(['deps/inc/mine.h', 'deps/link', 'kernel_variant.hip', 'notes.txt']);
    const error = thrown(() => refuseForeignFiles(pristine));
    expect([error.code, error.exitCode]).toEqual(['FILE_FOREIGN', 2]);
    expect(error.what).toContain(join(pristine, 'notes.txt'));
  });

  it('are all sources where no recipe says otherwise', () => {
    write('recipe.json', '{');
    expect(foreignFiles(pristine)).toEqual(['deps/inc/a.h', 'deps/src/k.hip', 'kernel_variant.hip']);
  });
});
