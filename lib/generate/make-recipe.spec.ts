import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SourceTree } from './source-tree';
import { SystemFolders } from '../toolchain/system-folders';
import { dialects } from '../toolchain/dialects';
import { makeRecipe } from './make-recipe';

let workspace: string;
beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'kernloop-recipe-')));
  for (const path of ['app/src/k.hip', 'app/inc/a.h', 'app/build/generated/config.h']) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), '');
  }
});
afterEach(() => rmSync(workspace, { recursive: true }));

function recipeOf(...args: string[]) {
  const file = join(workspace, 'app/src/k.hip');
  const directory = join(workspace, 'app/build');
  const unit = dialects.hip.read(
    {
      directory,
      file,
      compiler: 'hipcc',
      args: [...args, '-c', '../src/k.hip', '-o', 'k.o'],
      output: join(directory, 'k.o'),
    },
    {},
  );
  if (!unit) throw new Error('no unit');
  const files = ['app/src/k.hip', 'app/inc/a.h', 'app/build/generated/config.h'].map((path) => ({
    spelled: join(workspace, path),
    real: join(workspace, path),
  }));
  const tree = new SourceTree({
    source: join(workspace, 'app'),
    workspaceRoot: workspace,
    files,
    includeDirs: [],
    system: new SystemFolders([], {}),
  });
  return makeRecipe({
    ...{
      unit,
      tree,
      kernelFile: file,
      target: 'gfx90a',
      compilerVersion: '1',
      environment: {},
      symbol: 'k',
      signature: null,
    },
  });
}

describe('makeRecipe', () => {
  it.each([
    ['a relative include directory', ['-I../inc', '-I', 'generated'], ['-I{deps}/inc', '-I', '{deps}/build/generated']],
    ['the root of the app', ['-I..'], ['-I{deps}']],
    ['a system directory', ['-isystem', '/usr/include/lib'], ['-isystem', '/usr/include/lib']],
    ['a forced include', ['-include', 'generated/config.h'], ['-include', '{deps}/build/generated/config.h']],
    ['a forced include that is looked for like a quoted one', ['-include', 'somewhere.h'], ['-include', 'somewhere.h']],
    ['other architectures', ['--offload-arch=gfx90a', '--offload-arch=gfx1030'], []],
    ['dependency and object output', ['-MD', '-MF', 'k.d'], []],
    ['options of the compiler', ['-O2', '-ffast-math', '-mllvm', '-x=y'], ['-O2', '-ffast-math', '-mllvm', '-x=y']],
    ['a define like an option', ['-D', 'ARCH=-I/etc'], ['-D', 'ARCH=-I/etc']],
  ])('carries %s', (_case, args, expected) => {
    expect(recipeOf(...args).arguments).toEqual([...expected, '-x', 'hip']);
  });

  it('makes paths in other options relative, but not names that only start alike', () => {
    const { arguments: args, notes } = recipeOf(
      `-DDATA="${workspace}/app/data"`,
      `-DOTHER=${workspace}/app2`,
      `-DROOT=${workspace}`,
    );
    expect(args.slice(0, 3)).toEqual(['-DDATA="{deps}/data"', '-DOTHER=/workspace/app2', '-DROOT=/workspace']);
    expect(notes).toHaveLength(2);
  });

  it('says what it leaves out', () => {
    expect(recipeOf('-fgpu-rdc').notes.join()).toContain('linked alone');
    expect(recipeOf('-fgpu-rdc').arguments).toEqual(['-x', 'hip']);
    expect(recipeOf('-I/somewhere/else').notes.join()).toContain('nothing is included from it');
  });
});
