import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeProgram } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import type { CompileRequest } from './compile-request';
import { compileWithTriton } from './compile-triton';

let workspace: TestWorkspace;
beforeEach(() => (workspace = new TestWorkspace()));
afterEach(() => workspace.dispose());

function request(): CompileRequest {
  const scratch = workspace.path('scratch');
  mkdirSync(scratch);
  const recipe = { variant: { file: 'kernel_variant.py' }, triton: undefined };
  return {
    ...{ reproducer: workspace.root, recipe, overlay: {}, compiler: { path: '/python/bin/python3', version: '3.6.0' } },
    ...{ output: workspace.path('variant.hsaco'), signature: null, limitSeconds: 10, scratch },
  } as unknown as CompileRequest;
}

/** Python that compiles, as kernloop_reproducer.py does. */
const compiles: FakeProgram = ({ args }) => {
  const made = args[args.indexOf('--output') + 1] ?? '';
  writeFileSync(made, 'code');
  const launch = { grid: [1, 1, 1], block: [64, 1, 1], shared: 0, num_ctas: 1 };
  const needs = { global_scratch_size: 0, profile_scratch_size: 0 };
  const candidate = { code_object: 'made.bin', code_object_sha256: '', launch: { ...launch, ...needs } };
  writeFileSync(
    join(dirname(made), 'made.json'),
    JSON.stringify({ schema: 'kernloop.triton-candidate/1', ...candidate, sources: {}, outside: [], system: [] }),
  );
  return 0;
};

describe('compilation with Triton', () => {
  it('writes into the scratch folder that it is given, and leaves nothing there', async () => {
    const wanted = request();
    const written: string[] = [];
    const python: FakeProgram = (call) => {
      const [made, recipe] = ['--output', '--recipe'].map((option) => call.args[call.args.indexOf(option) + 1] ?? '');
      written.push(dirname(dirname(made ?? '')), dirname(dirname(recipe ?? '')));
      written.push(dirname(dirname(call.options.env?.['TRITON_CACHE_DIR'] ?? '')));
      return compiles(call);
    };
    await compileWithTriton(wanted, wanted.output, fakeDeps({ python3: python }, workspace.native));
    expect([...new Set(written)]).toEqual([workspace.path('scratch')]);
    expect(workspace.read('variant.hsaco')).toBe('code');
    expect(readdirSync(workspace.path('scratch'))).toEqual([]);
  });

  it('reads no code object of a GiB, which would stop a judge', async () => {
    const wanted = request();
    const python: FakeProgram = ({ args }) => {
      const made = args[args.indexOf('--output') + 1] ?? '';
      writeFileSync(made, '');
      truncateSync(made, 2 ** 30);
      return 0;
    };
    const { code, what } = await failure(
      compileWithTriton(wanted, wanted.output, fakeDeps({ python3: python }, workspace.native)),
    );
    expect([code, what]).toEqual(['COMPILE_FAILED', 'the code object has 1073741824 bytes, and may have 268435456']);
    expect(readdirSync(workspace.path('scratch'))).toEqual([]);
  });

  it('leaves nothing there if it fails', async () => {
    const wanted = request();
    const deps = fakeDeps({ python3: () => ({ exitCode: 1, stderrTail: 'SyntaxError: it' }) }, workspace.native);
    expect((await failure(compileWithTriton(wanted, wanted.output, deps))).what).toContain('SyntaxError: it');
    expect(readdirSync(workspace.path('scratch'))).toEqual([]);
  });

  it('writes no file that a link leads to from the place of the code object', async () => {
    const wanted = request();
    const other = workspace.write('other.json', 'before');
    const deps = fakeDeps(
      {
        python3: (call) => {
          symlinkSync(other, wanted.output);
          return compiles(call);
        },
      },
      workspace.native,
    );
    await compileWithTriton(wanted, wanted.output, deps);
    expect([workspace.read('other.json'), workspace.read('variant.hsaco')]).toEqual(['before', 'code']);
  });

  it.each(['made.bin', 'made.json'])('takes no link for %s', async (name) => {
    const wanted = request();
    const deps = fakeDeps(
      {
        python3: async (call) => {
          await compiles(call);
          const path = join(dirname(call.args[call.args.indexOf('--output') + 1] ?? ''), name);
          renameSync(path, workspace.path(name));
          symlinkSync(workspace.path(name), path);
          return 0;
        },
      },
      workspace.native,
    );
    const error = await failure(compileWithTriton(wanted, wanted.output, deps));
    expect(error).toMatchObject({ code: 'COMPILE_FAILED', what: `${name} was made as a link` });
    expect(existsSync(wanted.output)).toBe(false);
  });
});
