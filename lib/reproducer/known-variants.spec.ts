import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thrown } from '../testing/failure';
import { TestWorkspace, writeReproducer, writeVariant } from '../testing/workspace';
import { knownVariant } from './known-variants';
import { chooseCode, openReproducer } from './reproducer';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kernloop-known-'));
  mkdirSync(join(root, 'build'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('knownVariant', () => {
  it.each(['candidate.cubin', 'optimized.hsaco', 'kernel_variant.hsaco', 'mine.co', 'build/optimized.hsaco'])(
    'finds %s',
    (name) => {
      for (const other of ['candidate.cu', 'build/mine.cubin', 'build/variant.hsaco', 'build/candidate.cubin.old'])
        writeFileSync(join(root, other), '');
      expect(knownVariant(root)).toBeUndefined();
      writeFileSync(join(root, name), '');
      expect(knownVariant(root)).toBe(name);
    },
  );

  it('does not choose between two', () => {
    for (const name of ['candidate.cubin', 'build/optimized.cubin']) writeFileSync(join(root, name), '');
    const error = thrown(() => knownVariant(root));
    expect(error).toMatchObject({ code: 'VARIANT_MISSING' });
    expect(error.what).toContain('candidate.cubin and build/optimized.cubin');
  });
});

describe('chooseCode', () => {
  let workspace: TestWorkspace;
  beforeEach(() => (workspace = new TestWorkspace()));
  afterEach(() => workspace.dispose());

  const chosen = (kernel: object = {}): unknown =>
    chooseCode(openReproducer(writeReproducer(workspace, kernel)), undefined);

  it('takes what the user built, with a source or without', () => {
    workspace.write('kernels/app/saxpy/candidate.hsaco', 'code');
    expect(chosen()).toMatchObject({ kind: 'variant', shown: 'candidate.hsaco' });
    expect(chosen({ language: 'none', source: null })).toMatchObject({ kind: 'variant', shown: 'candidate.hsaco' });
  });

  it('prefers it to what recompile built of an untouched source', () => {
    const root = writeReproducer(workspace);
    workspace.write('kernels/app/saxpy/optimized.hsaco', 'code');
    writeVariant(workspace);
    expect(chooseCode(openReproducer(root), undefined)).toMatchObject({ shown: 'optimized.hsaco' });
  });

  it('does not choose between it and an edited source', () => {
    const root = writeReproducer(workspace);
    workspace.write('kernels/app/saxpy/optimized.hsaco', 'code');
    workspace.write('kernels/app/saxpy/kernel_variant.hip', 'edited');
    writeVariant(workspace);
    const error = thrown(() => chooseCode(openReproducer(root), undefined));
    expect(error).toMatchObject({ code: 'VARIANT_MISSING', exitCode: 2 });
    expect(error.what).toContain('optimized.hsaco');
    expect(error.what).toContain('kernel_variant.hip');
    expect(chooseCode(openReproducer(root), 'build/variant.hsaco')).toMatchObject({ shown: 'build/variant.hsaco' });
  });
});
