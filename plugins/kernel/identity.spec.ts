import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativeProducts } from '../../lib/native/native-paths';
import { TestWorkspace } from '../../lib/testing/workspace';
import { packageRoot } from '../../lib/support/version';
import { hipRuntime, nativeDigest } from './identity';

describe('the HIP runtime', () => {
  it('is the first that is found, and another once it was replaced', () => {
    const workspace = new TestWorkspace();
    const runtime = (folders: string): string => hipRuntime({ LD_LIBRARY_PATH: folders }, [workspace.path('system')]);
    expect(runtime('')).toBe('none');
    workspace.write('system/libamdhip64.so.5', 'one');
    const before = runtime('');
    expect(runtime('/nowhere')).toBe(before);
    workspace.write('mine/libamdhip64.so.6', 'two');
    expect(runtime(workspace.path('mine'))).not.toBe(before);
    workspace.write('system/libamdhip64.so.5', 'another');
    expect(runtime('')).not.toBe(before);
    workspace.dispose();
  });
});

describe('the digest of the native core', () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = new TestWorkspace();
    for (const name of nativeProducts) workspace.write(workspace.native[name], name);
  });
  afterEach(() => workspace.dispose());

  it.each(nativeProducts)('changes with %s, and with its absence', (name) => {
    const before = nativeDigest(workspace.native);
    writeFileSync(workspace.native[name], 'another build');
    const rebuilt = nativeDigest(workspace.native);
    rmSync(workspace.native[name]);
    expect(new Set([before, rebuilt, nativeDigest(workspace.native)]).size).toBe(3);
  });

  it('is of all that the archive carries: there is one list', () => {
    const bundle = readFileSync(join(packageRoot, 'tools', 'bundle.mjs'), 'utf8');
    expect(bundle).toContain("'native-products.json'");
    expect(bundle).not.toContain('libkernloop-');
    expect(nativeProducts).toEqual(expect.arrayContaining(['hipErrors', 'nvrtcAudit', 'nvrtcCompiler']));
  });
});
