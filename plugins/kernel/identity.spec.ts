import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { coreProducts, nativePathsIn, nativeProducts, restProducts } from '../../lib/native/native-paths';
import { TestWorkspace } from '../../lib/testing/workspace';
import { packageRoot } from '../../lib/support/version';
import { KnownDigests } from '../../lib/support/known-digests';
import { coreDigest, hipRuntime, identityVariables, restDigest } from './identity';

const digests = new KnownDigests(undefined);

describe('the HIP runtime', () => {
  it('is the first that is found, and another once it was replaced', () => {
    const workspace = new TestWorkspace();
    const runtime = (folders: string): string =>
      hipRuntime({ LD_LIBRARY_PATH: folders }, digests, [workspace.path('system')]);
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

  it.each([
    ...coreProducts.map((name) => [name, coreDigest, restDigest] as const),
    ...restProducts.map((name) => [name, restDigest, coreDigest] as const),
  ])('changes with %s, and with its absence, and that of the others does not', (name, own, other) => {
    const [before, others] = [own, other].map((digest) => digest(workspace.native, digests));
    writeFileSync(workspace.native[name], 'another build');
    const rebuilt = own(workspace.native, digests);
    rmSync(workspace.native[name]);
    expect(new Set([before, rebuilt, own(workspace.native, digests)]).size).toBe(3);
    expect(other(workspace.native, digests)).toBe(others);
  });

  it('is that of no other command for what a checkout has not built yet; the core is known before and after', () => {
    const native = nativePathsIn(workspace.path('checkout/native/build'));
    workspace.write('checkout/tools/native.mjs', '');
    workspace.write('checkout/native/build/build.ninja', '');
    for (const name of coreProducts) workspace.write(native[name], name);
    const core = coreDigest(native, digests);
    expect(restDigest(native, digests)).not.toBe(restDigest(native, digests));
    for (const name of restProducts) workspace.write(native[name], name);
    expect(restDigest(native, digests)).toBe(restDigest(workspace.native, digests));
    expect(coreDigest(native, digests)).toBe(core);
  });

  it('is that of an equal build elsewhere', () => {
    const other = new TestWorkspace();
    for (const name of nativeProducts) other.write(other.native[name], name);
    for (const digest of [coreDigest, restDigest])
      expect(digest(other.native, digests)).toBe(digest(workspace.native, digests));
    other.dispose();
  });

  it('is of all that the archive carries: there is one list', () => {
    const packing = readFileSync(join(packageRoot, 'tools', 'packages', 'native.mjs'), 'utf8');
    expect(packing).toContain("'native-products.json'");
    expect(packing).not.toContain('libkernloop-');
    expect(nativeProducts).toEqual(expect.arrayContaining(['hipErrors', 'nvrtcAudit', 'nvrtcCompiler']));
  });
});

describe('the identity of a device', () => {
  it('concerns that device alone', () => {
    const workspace = new TestWorkspace();
    for (const name of nativeProducts) workspace.write(workspace.native[name], name);
    const driver = workspace.write('libcuda.so.1', 'one');
    const env = { KERNLOOP_NATIVE_DIR: workspace.native.root, KERNLOOP_CUDA_DRIVER: driver, PATH: '' };
    const before = identityVariables(env, []);
    writeFileSync(driver, 'another driver');
    const upgraded = identityVariables(env, []);
    expect({ ...upgraded, KERNLOOP_DEVICE_ID_CUDA: '' }).toEqual({ ...before, KERNLOOP_DEVICE_ID_CUDA: '' });
    expect(upgraded.KERNLOOP_DEVICE_ID_CUDA).not.toBe(before.KERNLOOP_DEVICE_ID_CUDA);
    // The agent is part of the device's identity.
    writeFileSync(workspace.native.agentCuda, 'another build');
    expect(identityVariables(env, []).KERNLOOP_DEVICE_ID_CUDA).not.toBe(upgraded.KERNLOOP_DEVICE_ID_CUDA);
    // Unless a task may be configured to use the device.
    const named = identityVariables(env, ['cuda']);
    writeFileSync(driver, 'a third');
    expect(identityVariables(env, ['cuda']).KERNLOOP_DEVICE_ID_NAMED).not.toBe(named.KERNLOOP_DEVICE_ID_NAMED);
    workspace.dispose();
  });
});
