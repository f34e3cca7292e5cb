import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { thrown } from '../testing/failure';
import { TestWorkspace } from '../testing/workspace';
import type { NativeSearch } from './native-package';
import { findNative, nativeProducts, nativePathsIn } from './native-paths';

describe('the native programs', () => {
  let workspace: TestWorkspace;
  let search: NativeSearch;

  beforeEach(() => {
    workspace = new TestWorkspace();
    const root = workspace.path('node_modules', 'kernloop');
    search = { root, version: '1.2.3', platform: 'linux-x64', libc: 'glibc' };
    workspace.write('node_modules/kernloop/package.json', { name: 'kernloop', version: '1.2.3' });
  });
  afterEach(() => workspace.dispose());

  /** Installs a package as npm does, beside kernloop or in another folder that Node searches. */
  function install(version = '1.2.3', folder = 'node_modules'): string {
    const root = workspace.path(folder, '@kernloop/native-linux-x64');
    workspace.write(join(root, 'package.json'), { name: '@kernloop/native-linux-x64', version });
    for (const product of nativeProducts) workspace.write(nativePathsIn(root)[product], product);
    return root;
  }
  function checkout(): void {
    workspace.write('node_modules/kernloop/native/CMakeLists.txt', '');
  }
  function build(): string {
    const root = join(search.root, 'native', 'build');
    for (const product of nativeProducts) workspace.write(nativePathsIn(root)[product], product);
    return root;
  }
  const error = (change: Partial<NativeSearch> = {}, env = {}) =>
    thrown(() => findNative(env, { ...search, ...change }));

  it('are where KERNLOOP_NATIVE_DIR says, whatever else is there', () => {
    install();
    build();
    expect(findNative({ KERNLOOP_NATIVE_DIR: workspace.native.root }, search).root).toBe(workspace.native.root);
  });

  it('are those of the checkout before those of a package', () => {
    install();
    expect(findNative({}, search).root).toBe(workspace.path('node_modules/@kernloop/native-linux-x64'));
    const root = build();
    expect(findNative({}, search).root).toBe(root);
  });

  it('are found nested below the package too', () => {
    const root = install('1.2.3', 'node_modules/kernloop/node_modules');
    expect(findNative({}, search).replay).toBe(join(root, 'bin', 'kernloop-replay'));
  });

  it("are never those of a native/build that is the user's own", () => {
    for (const product of nativeProducts) workspace.write(`native/build/${product}`, '');
    mkdirSync(workspace.path('native/build/bin'), { recursive: true });
    expect(error().code).toBe('ENVIRONMENT_NATIVE_MISSING');
  });

  it('name every product that is missing, with the command that builds them and exit code 5', () => {
    rmSync(workspace.native.replay);
    rmSync(workspace.native.archive);
    checkout();
    const found = error({}, { KERNLOOP_NATIVE_DIR: workspace.native.root });
    expect(found).toMatchObject({ code: 'ENVIRONMENT_NATIVE_MISSING', exitCode: 5 });
    expect(found.what).toMatch(/kernloop-replay, .*kernloop-archive not found/);
    expect(found.hint).toContain('npm run build:native');
    expect(found.hint).toContain('unset');
  });

  it('say how to install them, and what leaves them out', () => {
    const { what, hint } = error();
    expect(what).toContain('no package @kernloop/native-linux-x64');
    expect(hint).toContain('npm install @kernloop/native-linux-x64@1.2.3');
    expect(hint).toContain('--omit=optional');
  });

  it.each([
    [{ platform: 'darwin-arm64', libc: undefined }, 'for darwin-arm64, only for linux-x64'],
    [{ libc: 'musl' }, 'for linux-x64 with musl, only for linux-x64 with glibc'],
  ])('say where there are none: %p', (change, expected) => {
    expect(error(change).hint).toContain(expected);
    expect(error(change).hint).not.toContain('npm install');
  });

  it('are built in a checkout', () => {
    checkout();
    expect(error().hint).toBe('run `npm run build:native` in the checkout');
  });

  it("refuse a package of another version than kernloop's", () => {
    install('1.2.4');
    const { code, what, hint } = error();
    expect(code).toBe('ENVIRONMENT_NATIVE_MISSING');
    expect(what).toMatch(/1\.2\.4.*1\.2\.3/);
    expect(hint).toContain('npm install kernloop@1.2.3 @kernloop/native-linux-x64@1.2.3');
  });

  it('refuse a package that lost a program', () => {
    rmSync(nativePathsIn(install()).softgpu);
    expect(error().what).toContain('libhsa-runtime64.so.1 not found');
  });
});
