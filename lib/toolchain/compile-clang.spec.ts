import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { nativePathsIn } from '../native/native-paths';
import { failure } from '../testing/failure';
import { fakeDeps, type Call } from '../testing/fake-deps';
import { compileReproducer } from './compile';
import type { CompileRequest } from './compile-request';
import { overlayTemplate } from './overlay';
import { twoUnitsCubin } from './testing/fake-nvcc';

const symbol = '__nv_static_25__2c443d97_4_a_cu_43cf90c4__Z5alonePfi';
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kernloop recompile-'));
  file('kernel_variant.cu', '#include "value.h"\n');
  file('deps/src/k.cu', '// ../../kernel_variant.cu is compiled in the place of this file.\n');
  file('deps/src/value.h', '#define VALUE 3\n');
});
afterEach(() => rmSync(root, { recursive: true }));

function file(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function request(more: Partial<CompileRequest['recipe']> = {}): CompileRequest {
  const recipe: CompileRequest['recipe'] = {
    ...{ schema: 'kernloop.recipe/1', language: 'cuda', symbol, environment: {}, target: 'sm_90' },
    ...{ compiler: { name: 'clang++', version: '22.1.8' }, arguments: ['-O2', '-I{deps}/inc', '-x', 'cuda'] },
    ...{ main: 'src/k.cu', variant: { file: 'kernel_variant.cu', stands_for: 'src/k.cu' } },
    ...{ signature: null, aliases: {}, notes: [] },
    ...more,
  };
  return {
    ...{ reproducer: root, recipe, overlay: overlayTemplate(recipe), limitSeconds: 10, signature: null },
    ...{ compiler: { path: '/usr/bin/clang++', version: '22.1.8' }, output: join(root, 'variant.cubin') },
  };
}

/** clang as far as Kernloop depends on it for CUDA: where it writes its output and its dependencies. */
class FakeClang {
  call?: Call;
  overlay?: { roots: { name: string; 'external-contents': string }[] };
  /** Dependencies name a replaced file by its replacement. */
  readonly program = (call: Call): number => {
    this.call = call;
    const after = (option: string) => call.args[call.args.indexOf(option) + 1] ?? '';
    this.overlay = JSON.parse(readFileSync(after('-ivfsoverlay'), 'utf8')) as typeof this.overlay;
    // Each value follows its option after another -Xclang: -Xclang <option> -Xclang <value>.
    writeFileSync(
      call.args[call.args.indexOf('-dependency-file') + 2] ?? '',
      'variant: kernel_variant.cu deps/src/value.h\n',
    );
    writeFileSync(after('-o'), readFileSync(twoUnitsCubin));
    return 0;
  };
}

describe('compileReproducer with clang, of CUDA', () => {
  it('makes the cubin of the captured architecture alone, from the variant in the place of its file', async () => {
    const clang = new FakeClang();
    const deps = fakeDeps({ 'clang++': clang.program }, nativePathsIn('/nowhere'));
    const result = await compileReproducer(request(), deps);
    const args = clang.call?.args ?? [];
    expect(args).toEqual(expect.arrayContaining(['-O2', `-I${join(root, 'deps')}/inc`, '-x', 'cuda', '-c']));
    expect(args).toEqual(expect.arrayContaining(['--offload-arch=sm_90', '--cuda-device-only']));
    expect(args.join(' ')).not.toContain('bundle');
    expect(args.at(-1)).toBe(join(root, 'deps', 'src', 'k.cu'));
    expect(JSON.stringify(clang.overlay)).toContain('kernel_variant.cu');
    expect(Object.keys(result.sources)).toEqual(['deps/src/value.h', 'kernel_variant.cu']);
    expect(readFileSync(join(root, 'variant.cubin'))).toEqual(readFileSync(twoUnitsCubin));
  });

  it('refuses code without the captured kernel', async () => {
    const deps = fakeDeps({ 'clang++': new FakeClang().program }, nativePathsIn('/nowhere'));
    const error = await failure(compileReproducer(request({ symbol: '_Z5otherPfi' }), deps));
    expect(error).toMatchObject({ code: 'SYMBOL_MISSING' });
    expect(existsSync(join(root, 'variant.cubin'))).toBe(false);
  });
});
