import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativeProducts } from '../../lib/device/native-paths';
import { TestWorkspace } from '../../lib/testing/workspace';
import { packageRoot } from '../../lib/support/version';
import { nativeDigest } from './identity';

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
