import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thrown } from '../testing/failure';
import { TestWorkspace, writeReproducer, writeVariant } from '../testing/workspace';
import { sha256OfFile } from '../support/files';
import { knownVariant } from './known-variants';
import { chooseCode, openReproducer, outdatedCandidate } from './reproducer';

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

  describe('with a code object that reproducer.py compiled', () => {
    const folder = 'kernels/app/saxpy';
    const source = 'kernel_variant.py';
    const edit = (): string => workspace.write(`${folder}/${source}`, 'edited = 1\n');
    const compiled = (more: object = {}, place = 'build/candidate.hsaco'): string => {
      const file = workspace.path(folder, place);
      workspace.write(file, 'code');
      workspace.write(file.replace('.hsaco', '.json'), {
        schema: 'kernloop.triton-candidate/1',
        code_object: 'candidate.hsaco',
        code_object_sha256: sha256OfFile(file),
        launch: {
          ...{ grid: [1, 1, 1], block: [64, 1, 1], shared: 0 },
          ...{ num_ctas: 1, global_scratch_size: 0, profile_scratch_size: 0 },
        },
        sources: { [source]: sha256OfFile(workspace.path(folder, source)) },
        outside: [],
        system: [],
        ...more,
      });
      return file;
    };
    let root: string;
    beforeEach(() => {
      const variant = { file: 'app/saxpy.py', line: 1, translation_unit: 'app/saxpy.py', variant: source };
      root = writeReproducer(workspace, { language: 'triton', source: variant });
      for (const copy of [folder, `${folder}/pristine`]) workspace.write(`${copy}/${source}`, 'edited = 0\n');
    });
    const choice = (): unknown => chooseCode(openReproducer(root), undefined);
    const refusal = (): string => thrown(choice).what;

    it('takes it as long as the sources are those that it was compiled from, edited or not', () => {
      compiled();
      expect(choice()).toMatchObject({ shown: 'build/candidate.hsaco' });
      edit();
      compiled();
      expect(choice()).toMatchObject({ shown: 'build/candidate.hsaco' });
      expect(outdatedCandidate(openReproducer(root))).toBeUndefined();
    });

    it('takes the source that was edited since, and the older code object on request alone', () => {
      compiled();
      edit();
      expect(outdatedCandidate(openReproducer(root))).toEqual({ file: 'build/candidate.hsaco', edited: source });
      expect(refusal()).toBe(`${source} was edited but not compiled`);
      writeVariant(workspace, { sources: { [source]: sha256OfFile(workspace.path(folder, source)) } });
      expect(choice()).toMatchObject({ shown: 'build/variant.hsaco' });
      expect(chooseCode(openReproducer(root), 'build/candidate.hsaco')).toMatchObject({
        shown: 'build/candidate.hsaco',
      });
    });

    it.each([
      ['is another one than reproducer.py wrote', { code_object_sha256: 'b'.repeat(64) }],
      ['is of no known sources', { sources: {} }],
      ['lies beside kernel.json, where reproducer.py does not leave it', {}, 'candidate.hsaco'],
    ])('does not choose where it %s', (_name, more, place = 'build/candidate.hsaco') => {
      compiled(more, place);
      edit();
      expect(refusal()).toContain('either could be meant');
    });
  });
});
