import { fakeDeps } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { KernloopError } from '../support/error';
import type { CompileRequest } from '../toolchain/compile-request';
import { Preambles } from './preambles';

const prefix = '#include "a.h"\n';
const made = { file: '/p/preamble.pch', header: '/p/preamble.h', prefix };
const source = (text: string) => ({ files: { 'kernel_variant.hip': text } });

describe('headers that candidates share', () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const request = (...options: string[]): CompileRequest =>
    ({
      ...{ reproducer: '/candidate', output: '/candidate/build/x' },
      recipe: { variant: { file: 'kernel_variant.hip' }, arguments: options },
    }) as unknown as CompileRequest;
  const folders: string[] = [];
  const preambles = (parse: ConstructorParameters<typeof Preambles>[1]): Preambles => {
    folders.length = 0;
    return new Preambles({ candidate: () => workspace.path(`made-${folders.length}`) }, parse);
  };
  const of = (all: Preambles, candidate: { files: Record<string, string> }, ...options: string[]) =>
    all.of(candidate, request(...options), (folder) => {
      folders.push(folder);
      return fakeDeps({}, workspace.native);
    });

  it('are parsed for the third candidate with the same options, once', async () => {
    const all = preambles(() => Promise.resolve(made));
    const got: unknown[] = [];
    for (let count = 0; count < 5; count += 1) got.push(await of(all, source(`${prefix}int x${count};`), '-O3'));
    expect(got).toEqual([undefined, undefined, made, made, made]);
    expect(folders).toHaveLength(1);
    expect(await of(all, source(prefix), '-O3', '-DWIDTH=2')).toBeUndefined();
  });

  it('are not those of a candidate with other lines before them, or with other files', async () => {
    const all = preambles(() => Promise.resolve(made));
    for (let count = 0; count < 3; count += 1) await of(all, source(prefix));
    expect(await of(all, source(prefix))).toBe(made);
    expect(await of(all, { files: {} })).toBe(made);
    expect(await of(all, source(`#define hipMalloc other\n${prefix}`))).toBeUndefined();
    expect(await of(all, source('#include "b.h"\n'))).toBeUndefined();
    // deps/ comes before the headers of the system.
    expect(await of(all, { files: { ...source(prefix).files, 'deps/cmath': '' } })).toBeUndefined();
  });

  it('cost no candidate its verdict', async () => {
    const broken = preambles(() => Promise.reject(new Error('disk full')));
    for (let count = 0; count < 4; count += 1) expect((await of(broken, source(prefix))) ?? null).toBeNull();
    let tries = 0;
    const cancelled = preambles(() => {
      tries += 1;
      return tries === 1 ? Promise.reject(new KernloopError('INTERRUPTED', 'cancelled', '')) : Promise.resolve(made);
    });
    const got: unknown[] = [];
    for (let count = 0; count < 6; count += 1)
      got.push(await of(cancelled, source(prefix)).catch((error: unknown) => (error as KernloopError).code));
    expect(got).toEqual([undefined, undefined, 'INTERRUPTED', undefined, undefined, made]);
  });
});
