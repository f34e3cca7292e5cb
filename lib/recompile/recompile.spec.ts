import { execFileSync, spawnSync } from 'node:child_process';
import fs, {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { adopt } from '../adopt/adopt';
import type { Deps } from '../deps/deps';
import { generate } from '../generate/generate';
import { fixture, recordingDeps, type Fixture } from '../generate/testing/fixture';
import { chooseCode, openReproducer } from '../reproducer/reproducer';
import { SourceFiles } from '../replay/source-files';
import { asKernloopError, KernloopError } from '../support/error';
import { sha256OfFile } from '../support/files';
import { bareHip, hipHeader } from '../testing/bare-hip';
import { failure, thrown } from '../testing/failure';
import { currentVariant, isUpToDate } from './current-variant';
import { readLineTable } from '../toolchain/line-table';
import { recompile } from './recompile';
import { recompileEdited } from './recompile-edited';

jest.setTimeout(180_000);

const source = `${bareHip.header}
#include "../inc/scale.h"
namespace demo {
__global__ void scale(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= SCALE; }
__global__ void scale_all(float* x) { x[threadIdx.x] = 1.0f; }
}
`;

const readJsonFile = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

let made: Fixture;
const { deps, reported } = recordingDeps();
const options = () => ({ reproducer: made.reproducer, compileLimitSeconds: 120 });
const variant = () => join(made.reproducer, 'kernel_variant.hip');
const built = () => join(made.reproducer, 'build', 'variant.hsaco');

/** Runs a test that is about HIP's headers with a recipe that does not leave them out. */
async function withHipHeaders(test: (source: string) => Promise<void>): Promise<void> {
  const path = join(made.reproducer, 'pristine', 'recipe.json');
  const original = readFileSync(path, 'utf8');
  const recipe = JSON.parse(original) as { arguments: string[] };
  try {
    writeFileSync(
      path,
      JSON.stringify({ ...recipe, arguments: recipe.arguments.filter((word) => !bareHip.options.includes(word)) }),
    );
    await test(source.replace(bareHip.header, hipHeader));
  } finally {
    writeFileSync(path, original);
  }
}

beforeAll(async () => {
  made = fixture({
    sources: { 'src/k.hip': source, 'inc/scale.h': '#define SCALE 3.0f\n' },
    commands: { 'src/k.hip': `-O3 ${bareHip.options.join(' ')} --offload-arch=gfx90a` },
    captured: 'src/k.hip',
    bundled: true,
    symbol: '_ZN4demo5scaleEPfi',
    name: 'demo::scale(float*, int)',
    slots: [
      { offset: 0, size: 8, kind: 'global_buffer' },
      { offset: 8, size: 4, kind: 'by_value' },
      { offset: 16, size: 8, kind: 'hidden_global_offset_x' },
    ],
  });
  await generate({ app: made.app, kernel: 'k', compileLimitSeconds: 120 }, deps);
  await adopt({ reproducer: made.reproducer, reset: false }, deps);
});
beforeEach(() => {
  writeFileSync(variant(), source);
  rmSync(join(made.reproducer, 'build'), { recursive: true, force: true });
  reported.length = 0;
});
afterAll(() => rmSync(made.workspace, { recursive: true, force: true }));

describe('recompile', () => {
  it('gives the captured code object for the untouched source', async () => {
    const result = await recompile(options(), deps);
    const captured = JSON.parse(readFileSync(join(made.reproducer, 'kernel.json'), 'utf8')) as { code_object: string };
    expect(result).toMatchObject({ unchanged: true, code_object_sha256: captured.code_object });
    expect(sha256OfFile(built())).toBe(captured.code_object);
    expect(result.sources).toEqual(['deps/inc/scale.h', 'kernel_variant.hip']);
  });

  it('keeps a code object that somebody else has put into build/, also where the source does not compile', async () => {
    mkdirSync(join(made.reproducer, 'build'));
    writeFileSync(built(), 'mine');
    writeFileSync(variant(), 'no source\n');
    expect(await failure(recompile(options(), deps))).toMatchObject({ code: 'COMPILE_FAILED' });
    const kept = join(made.reproducer, 'build', 'variant.kept-1.hsaco');
    expect(readFileSync(kept, 'utf8')).toBe('mine');
    writeFileSync(variant(), source);
    await recompile(options(), deps);
    await recompile(options(), deps);
    expect(readdirSync(join(made.reproducer, 'build')).sort()).toEqual([
      'variant.hsaco',
      'variant.json',
      'variant.kept-1.hsaco',
    ]);
  });

  it('claims nothing about a capture that is of other code than pristine/', async () => {
    const path = join(made.reproducer, 'capture', 'capture.json');
    const text = readFileSync(path, 'utf8');
    const captured = JSON.parse(text) as { kernel: object };
    await recompile(options(), deps);
    expect(reported.at(-1)).toContain('it is the captured code, byte for byte');
    try {
      writeFileSync(path, JSON.stringify({ ...captured, kernel: { ...captured.kernel, code_object: 'f'.repeat(64) } }));
      await recompile(options(), deps);
    } finally {
      writeFileSync(path, text);
    }
    expect(reported.at(-1)).toContain('pristine/ was generated from another capture');
    expect(reported.at(-1)).not.toContain('byte for byte');
  });

  it('compiles the edit, not the original', async () => {
    writeFileSync(variant(), source.replace('*= SCALE', '+= SCALE'));
    expect((await recompile(options(), deps)).unchanged).toBe(false);
    const listing = execFileSync(
      '/usr/lib/llvm-15/bin/llvm-objdump',
      ['-d', '--disassemble-symbols=_ZN4demo5scaleEPfi', built()],
      { encoding: 'utf8' },
    );
    expect(listing).toContain('v_add_f32');
    expect(listing).not.toContain('v_mul_f32');
  });

  it('compiles an edited header below deps/ and a header put beside the variant', async () => {
    const header = join(made.reproducer, 'deps', 'inc', 'scale.h');
    const original = readFileSync(header);
    try {
      writeFileSync(header, '#include "mine.h"\n#define SCALE MINE\n');
      writeFileSync(join(made.reproducer, 'mine.h'), '#define MINE 5.0f\n');
      const result = await recompile(options(), deps);
      expect(result.unchanged).toBe(false);
      expect(result.sources).toEqual(['deps/inc/scale.h', 'kernel_variant.hip', 'mine.h']);
    } finally {
      writeFileSync(header, original);
      rmSync(join(made.reproducer, 'mine.h'));
    }
  });

  it('names the lines of the edited file where asked to, and compiles the same instructions', async () => {
    const symbol = '--disassemble-symbols=_ZN4demo5scaleEPfi';
    const listing = (): string =>
      execFileSync('/usr/lib/llvm-15/bin/llvm-objdump', ['-d', symbol, built()], { encoding: 'utf8' });
    /** Instruction encodings without their addresses. */
    const machineCode = (): string[] =>
      [...listing().matchAll(/\/\/ [0-9A-F]+: ([0-9A-F ]+)/g)].map(([, code]) => code ?? '');
    await recompile(options(), deps);
    const plain = machineCode();
    expect(plain.length).toBeGreaterThan(10);
    expect(readLineTable(readFileSync(built()))).toBeNull();
    await recompile({ ...options(), lineInfo: true }, deps);
    expect(machineCode()).toEqual(plain);
    const store = Number(`0x${/global_store.*\/\/ ([0-9A-F]+):/.exec(listing())?.[1]}`);
    const place = readLineTable(readFileSync(built()))?.at(store);
    expect(place?.line).toBe(4);
    const sources = new SourceFiles(openReproducer(made.reproducer));
    expect(sources.shown(place?.file ?? '')).toBe('kernel_variant.hip');
    expect(sources.line('kernel_variant.hip', 4)).toContain('__global__ void scale(float* x, int n)');
  });

  it('removes what a killed extract and a killed recompile have left, and nothing of one at work', async () => {
    const ended = spawnSync('true').pid;
    const [dead, alive] = [ended, process.ppid].map((pid) => [
      join(made.reproducer, `pristine.partial-${hostname()}-${pid}`),
      join(made.reproducer, 'build', `variant.hsaco.partial-${hostname()}-${pid}`),
    ]) as [string[], string[]];
    for (const path of [...dead, ...alive]) mkdirSync(path, { recursive: true });
    await recompile(options(), deps);
    expect([...dead, ...alive].map((path) => existsSync(path))).toEqual([false, false, true, true]);
    for (const path of alive) rmSync(path, { recursive: true });
  });

  it('records the digest of every source that went in', async () => {
    await recompile(options(), deps);
    const variantJson = JSON.parse(readFileSync(join(made.reproducer, 'build', 'variant.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    expect(variantJson).toMatchObject({
      schema: 'kernloop.variant/1',
      code_object: 'variant.hsaco',
      code_object_sha256: sha256OfFile(built()),
      sources: {
        'kernel_variant.hip': sha256OfFile(variant()),
        'deps/inc/scale.h': sha256OfFile(join(made.reproducer, 'deps', 'inc', 'scale.h')),
      },
    });
  });

  it('says that build/ cannot be written, before a compiler says so of the source', async () => {
    const { accessSync } = fs;
    jest.spyOn(fs, 'accessSync').mockImplementation((path, mode) => {
      if (path === dirname(built()) && mode === fs.constants.W_OK)
        throw Object.assign(new Error('EACCES: permission denied, access'), {
          code: 'EACCES',
          syscall: 'access',
          path,
        });
      accessSync(path, mode);
    });
    const error = asKernloopError(await recompile(options(), deps).catch((reason: unknown) => reason));
    jest.restoreAllMocks();
    expect([error.code, error.what]).toEqual([
      'FILE_UNWRITABLE',
      `${dirname(built())} cannot be written: there is no permission (EACCES)`,
    ]);
  });

  it('passes the compiler on where it rejects the edit, and leaves nothing that could be judged', async () => {
    await recompile(options(), deps);
    appendFileSync(variant(), '\n#error "not like this"\n');
    const error = await failure(recompile(options(), deps));
    expect(error).toMatchObject({ code: 'COMPILE_FAILED', exitCode: 1 });
    expect(error.what).toContain('kernel_variant.hip:8:2: error: "not like this"');
    expect(reported.join('')).toContain('not like this');
    expect(execFileSync('ls', [join(made.reproducer, 'build')], { encoding: 'utf8' })).toBe('variant.json\n');
    const choosing = () => thrown(() => chooseCode(openReproducer(made.reproducer), undefined));
    expect(choosing()).toMatchObject({ code: 'VARIANT_MISSING' });
    // Undone, too.
    writeFileSync(variant(), source);
    expect(choosing()).toMatchObject({
      code: 'VARIANT_MISSING',
      what: `${built()} does not exist: the last \`kernloop recompile\` failed, or the file was removed since`,
      hint: expect.stringMatching(/^run `kernloop recompile` .*; `--variant none` takes the captured code$/) as string,
    });
    await recompile(options(), deps);
    expect(chooseCode(openReproducer(made.reproducer), undefined)).toMatchObject({ kind: 'variant', path: built() });
  });

  it('refuses a source that asks for files which the app has not, though it compiles to the captured code, and leaves none', async () => {
    writeFileSync(
      variant(),
      source.replace(
        'x[i] *= SCALE;',
        '\n#if __has_include("kernel.json")\nx[i] *= SCALE;\n#else\nx[i] = 0;\n#endif\n',
      ),
    );
    const error = await failure(recompile(options(), deps));
    expect(error).toMatchObject({ code: 'SOURCE_DEPENDS_ON_REPRODUCER', exitCode: 1 });
    expect(existsSync(built())).toBe(false);
  });

  it('refuses code without the captured kernel and names the nearest', async () => {
    writeFileSync(variant(), source.replace('void scale(float* x, int n)', 'void scale(float* x, long n)'));
    const error = await failure(recompile(options(), deps));
    expect(error).toMatchObject({ code: 'SYMBOL_MISSING', exitCode: 2 });
    expect(error.what).toContain('_ZN4demo5scaleEPfl');
    expect(existsSync(built())).toBe(false);
  });

  it('refuses another signature of an extern "C" kernel, which keeps its symbol', async () => {
    const path = join(made.reproducer, 'pristine', 'recipe.json');
    const original = readFileSync(path, 'utf8');
    try {
      writeFileSync(path, original.replace('_ZN4demo5scaleEPfi', 'plain'));
      const plain = (parameters: string) =>
        writeFileSync(variant(), `${source}extern "C" __global__ void plain(${parameters}) { *x = n; }\n`);
      plain('float* x, int n');
      expect((await recompile(options(), deps)).unchanged).toBe(false);
      plain('int n, float* x');
      const error = await failure(recompile(options(), deps));
      expect(error.code).toBe('SYMBOL_MISSING');
      expect(error.what).toContain(
        'takes 4 bytes at 0, 8 bytes at 8, but the captured dispatch passed 8 bytes at 0, 4 bytes at 8',
      );
    } finally {
      writeFileSync(path, original);
    }
  });

  it('works after the reproducer was moved and the app deleted, and opens nothing of the app', async () => {
    const moved = join(made.workspace, 'else where', 'k');
    const hidden = `${made.app}-hidden`;
    mkdirSync(dirname(moved));
    renameSync(made.reproducer, moved);
    try {
      const trace = join(made.workspace, 'trace');
      const traced = recordingDeps({
        run: (file, args, runOptions) =>
          file === deps.native.archive
            ? deps.run(file, args, runOptions)
            : deps.run('strace', ['-f', '-qq', '-e', 'trace=%file', '-o', trace, file, ...args], runOptions),
      });
      const there = await recompile({ ...options(), reproducer: moved }, traced.deps);
      expect(there.unchanged).toBe(true);
      const opened = readFileSync(trace, 'utf8').split('\n');
      expect(opened.some((line) => line.includes(join(moved, 'kernel_variant.hip')))).toBe(true);
      expect(opened.filter((line) => line.includes(made.app) || line.includes(made.reproducer))).toEqual([]);
      renameSync(made.app, hidden);
      expect((await recompile({ ...options(), reproducer: moved }, deps)).unchanged).toBe(true);
    } finally {
      if (existsSync(hidden)) renameSync(hidden, made.app);
      renameSync(moved, made.reproducer);
    }
  });

  it('gives the same code wherever the reproducer lies, even where the kernel holds its own file name', async () => {
    writeFileSync(variant(), source.replace('*= SCALE', '*= __FILE__[i % 17]'));
    const here = await recompile(options(), deps);
    const moved = join(made.workspace, 'a-much-longer-folder-name');
    renameSync(made.reproducer, moved);
    try {
      expect((await recompile({ ...options(), reproducer: moved }, deps)).code_object_sha256).toBe(
        here.code_object_sha256,
      );
    } finally {
      renameSync(moved, made.reproducer);
    }
  });

  it.each([
    ['the name of its file', "*= __FILE__[0] == 'k'"],
    ['the name that the compiler gives it', "*= __builtin_FILE()[0] == 'k'"],
    ['the name of its file, where the code here is the captured one', "*= SCALE * (__FILE__[0] == 'k' ? 1 : 2)"],
    ['the file that is compiled', "*= __BASE_FILE__[0] == 'k'"],
    ['the day', "*= __DATE__[10] == '1'"],
    ['a name that a macro pastes together', "*= CAT(__FI, LE__)[0] == 'k'"],
    ['a name over two lines', "*= __FI\\\nLE__[0] == 'k'"],
  ])('refuses code that does another thing elsewhere, by %s', async (_name, edit) => {
    writeFileSync(
      variant(),
      `#define PASTE(a, b) a##b\n#define CAT(a, b) PASTE(a, b)\n${source.replace('*= SCALE', edit)}`,
    );
    const error = await failure(recompile(options(), deps));
    expect([error.code, error.exitCode]).toEqual(['SOURCE_DEPENDS_ON_REPRODUCER', 1]);
    expect(error.what).toContain('where kernel_variant.hip is compiled in another folder');
    expect(existsSync(built())).toBe(false);
  });

  it.each([
    ['tells of data that is another one elsewhere', '*= __FILE__[i % 17]', true],
    [
      'tells of the text of a message',
      '*= 4.0f; if (i < -1) __assert_fail("n", __FILE__, __LINE__, "scale"); x[0] += 0',
      true,
    ],
    ['tells of a length that is another one elsewhere', '*= sizeof(__FILE__)', true],
    [
      'tells of what is otherwise where the compiler gets an absolute path',
      "*= __FILE__[0] == '/' ? 2.0f : 4.0f",
      true,
    ],
    ['says nothing of a name in a comment', '*= 4.0f /* __FILE__ */', undefined],
    ['says nothing of what comes to the same', '*= __FILE__[0] ? 4.0f : 5.0f', undefined],
    [
      'says nothing of what another kernel of the file makes of it',
      "*= 4.0f; }\n__global__ void beside(float* x) { *x = __FILE__[0] == 'k' ? 1 : 2",
      undefined,
    ],
  ])('%s', async (_name, edit, expected) => {
    const check = async (text: string): Promise<void> => {
      writeFileSync(variant(), text.replace('*= SCALE', edit));
      await recompile(options(), deps);
      const json = readJsonFile(join(made.reproducer, 'build', 'variant.json')) as { place_dependent?: boolean };
      expect(json.place_dependent).toBe(expected);
      expect(chooseCode(openReproducer(made.reproducer), undefined)).toMatchObject({
        isPlaceDependent: expected === true,
      });
    };
    // HIP's headers define __assert_fail.
    if (edit.includes('__assert_fail')) await withHipHeaders(check);
    else await check(source);
  });

  it('compiles once where the source asks for nothing of the kind, whatever the headers of the system do', async () => {
    let compilations = 0;
    const counting: typeof deps = {
      ...deps,
      run: (program, args, limits) => {
        if (args.includes('-o')) compilations += 1;
        return deps.run(program, args, limits);
      },
    };
    await withHipHeaders(async (text) => {
      writeFileSync(variant(), text.replace('*= SCALE', '*= 4.0f'));
      await recompile(options(), counting);
    });
    expect(compilations).toBe(1);
    writeFileSync(variant(), source.replace('*= SCALE', '*= 4.0f /* __FILE__ */'));
    await recompile(options(), counting);
    expect(compilations).toBe(4);
  });

  it('says so where the compiler of the recipe is not installed', async () => {
    const path = join(made.reproducer, 'pristine', 'recipe.json');
    const original = readFileSync(path, 'utf8');
    try {
      writeFileSync(path, original.replace('"name": "hipcc"', '"name": "clang++-99"'));
      const error = await failure(recompile(options(), deps));
      expect(error).toMatchObject({ code: 'ENVIRONMENT_TOOL_MISSING', exitCode: 5 });
      expect(error.hint).toContain('apt-get install clang-99');
    } finally {
      writeFileSync(path, original);
    }
  });

  it('says so where another version of the compiler has to be taken', async () => {
    const path = join(made.reproducer, 'pristine', 'recipe.json');
    const original = readFileSync(path, 'utf8');
    try {
      writeFileSync(path, original.replace('clang version 15', 'clang version 14'));
      expect((await recompile(options(), deps)).unchanged).toBe(true);
      expect(reported.join('\n')).toContain('the code may differ');
    } finally {
      writeFileSync(path, original);
    }
  });

  describe('with everything that decides the code', () => {
    const outside = () => join(made.workspace, 'outside.h');
    const include = () => {
      writeFileSync(outside(), '#define FACTOR 2.0f\n');
      writeFileSync(variant(), `#include "../../../outside.h"\n${source.replace('*= SCALE', '*= FACTOR')}`);
    };
    const current = (more: { lineInfo?: boolean } = {}, env = deps.env) => currentVariant(made.reproducer, more, env);
    afterEach(() => rmSync(outside(), { force: true }));

    it('is stale once a header outside of the reproducer has another content', async () => {
      include();
      await recompile(options(), deps);
      const choose = () => chooseCode(openReproducer(made.reproducer), undefined);
      expect(choose()).toMatchObject({ kind: 'variant' });
      utimesSync(outside(), 1, 1);
      expect(choose()).toMatchObject({ kind: 'variant' });
      writeFileSync(outside(), '#define FACTOR 3.0f\n');
      expect(thrown(choose)).toMatchObject({
        code: 'VARIANT_STALE',
        what: expect.stringContaining('outside.h') as string,
      });
      rmSync(outside());
      expect(thrown(choose).code).toBe('VARIANT_STALE');
    });

    it('is stale once there is a file that the source asked for and did not find', async () => {
      const local = join(made.workspace, 'local.h');
      const asks = '#if __has_include("../../../local.h")\n#include "../../../local.h"\n#endif\n';
      // The header also includes a file: the one beside it comes before the one beside the variant.
      include();
      writeFileSync(join(made.reproducer, 'factor.h'), '#define UNUSED 1\n');
      writeFileSync(outside(), `#include "factor.h"\n${readFileSync(outside(), 'utf8')}`);
      writeFileSync(variant(), asks + readFileSync(variant(), 'utf8'));
      await recompile(options(), deps);
      const choose = () => chooseCode(openReproducer(made.reproducer), undefined);
      try {
        for (const path of [local, join(made.workspace, 'factor.h')]) {
          expect(choose()).toMatchObject({ kind: 'variant' });
          expect(current({ lineInfo: true })).toBeDefined();
          writeFileSync(path, '#define UNUSED 2\n');
          expect(thrown(choose)).toMatchObject({
            code: 'VARIANT_STALE',
            what: expect.stringContaining(basename(path)) as string,
          });
          expect(current({ lineInfo: true })).toBeUndefined();
          rmSync(path);
        }
      } finally {
        for (const path of [local, join(made.workspace, 'factor.h'), join(made.reproducer, 'factor.h')])
          rmSync(path, { force: true });
      }
    });

    it('names headers of the system too, and a machine without them can still judge', async () => {
      await withHipHeaders(async (text) => {
        writeFileSync(variant(), text);
        await recompile(options(), deps);
        const path = join(made.reproducer, 'build', 'variant.json');
        const built = readJsonFile(path) as { system: Record<string, string> };
        const [runtime] = Object.keys(built.system).filter((name) => name.endsWith('hip/hip_runtime.h'));
        expect(runtime).toMatch(/^\//);
        expect(built.system[runtime ?? '']).toBe(sha256OfFile(runtime ?? ''));
        const rewrite = (system: object) => writeFileSync(path, JSON.stringify({ ...built, system }));
        rewrite({ '/nowhere/hip_runtime.h': '0'.repeat(64) });
        expect(chooseCode(openReproducer(made.reproducer), undefined)).toMatchObject({ kind: 'variant' });
        expect(current({ lineInfo: true })).toBeUndefined();
        rewrite({ [runtime ?? '']: '0'.repeat(64) });
        expect(thrown(() => chooseCode(openReproducer(made.reproducer), undefined)).code).toBe('VARIANT_STALE');
      });
    });

    it('is current until one of them changes, whatever a list of inputs says', async () => {
      const header = join(made.reproducer, 'deps', 'inc', 'scale.h');
      const target = join(made.workspace, 'elsewhere.hip');
      const recipe = join(made.reproducer, 'pristine', 'recipe.json');
      const mine = join(made.reproducer, 'mine.h');
      const changes: [name: string, change: () => void, undo: () => void][] = [
        ['the text', () => appendFileSync(variant(), '//\n'), () => writeFileSync(variant(), source)],
        ['a header', () => appendFileSync(header, '//\n'), () => writeFileSync(header, '#define SCALE 3.0f\n')],
        [
          'the recipe',
          () => appendFileSync(recipe, ' \n'),
          () => writeFileSync(recipe, readFileSync(recipe, 'utf8').trim() + '\n'),
        ],
        ['a file that could be included', () => writeFileSync(mine, ''), () => rmSync(mine)],
        [
          'the code object',
          () => appendFileSync(built(), 'x'),
          () => truncateSync(built(), statSync(built()).size - 1),
        ],
      ];
      await recompile(options(), deps);
      const before = current();
      expect(before).toMatch(/^[0-9a-f]{64}$/);
      for (const [name, change, undo] of changes) {
        change();
        expect([name, current()]).toEqual([name, undefined]);
        undo();
        expect([name, current()]).toEqual([name, before]);
      }
      expect(current({ lineInfo: true })).toBeUndefined();
      expect(current({}, { ...deps.env, DEVICE_LIB_PATH: '/opt/other' })).toBeUndefined();
      expect(current({}, { ...deps.env, UNRELATED: '1', CPATH: '/opt/other' })).toBe(before);
      writeFileSync(join(made.reproducer, 'README.md'), 'edited');
      utimesSync(variant(), 1, 1);
      expect(current()).toBe(before);

      writeFileSync(target, source);
      rmSync(variant());
      symlinkSync(target, variant());
      try {
        await recompile(options(), deps);
        expect(current()).toBeDefined();
        appendFileSync(target, '//\n');
        expect(current()).toBeUndefined();
      } finally {
        rmSync(variant());
      }
    });

    it('leaves aside what the shell adds to a compilation, and says so', async () => {
      const plain = await recompile(options(), deps);
      const folder = join(made.workspace, 'shell');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'mine.h'), '#define SCALE 7.0f\n');
      const shell = {
        CPATH: folder,
        CPLUS_INCLUDE_PATH: folder,
        HIPCC_COMPILE_FLAGS_APPEND: '-O0',
        CCC_OVERRIDE_OPTIONS: '+-O0',
      };
      const kept = Object.fromEntries(Object.keys(shell).map((name) => [name, process.env[name]]));
      Object.assign(process.env, shell);
      try {
        const there = await recompile(options(), { ...deps, env: process.env });
        expect(there.code_object_sha256).toBe(plain.code_object_sha256);
        expect(reported.join('')).toMatch(/CPATH, .*HIPCC_COMPILE_FLAGS_APPEND.* left aside/);
        writeFileSync(variant(), `#include <mine.h>\n${source}`);
        expect((await failure(recompile(options(), deps))).what).toContain("'mine.h' file not found");
      } finally {
        for (const [name, value] of Object.entries(kept)) {
          if (value === undefined) delete process.env[name];
          else process.env[name] = value;
        }
      }
    });
  });

  describe('before a replay', () => {
    const edit = (text: string) => writeFileSync(variant(), source.replace('*= SCALE', text));
    const header = () => join(made.reproducer, 'deps', 'inc', 'scale.h');
    const build = (overrides: Partial<Deps> = {}, more: object = {}) =>
      recompileEdited({ ...options(), ...more }, true, { ...deps, ...overrides });
    const chosen = () => chooseCode(openReproducer(made.reproducer), undefined);
    /** The lines of finished compilations, and an empty list again. */
    const compiled = () => reported.splice(0).filter((line) => line.startsWith('k: build/variant.hsaco from'));

    it('builds an edit once, and nothing that is not edited', async () => {
      await build();
      expect([reported, existsSync(built()), chosen().kind]).toEqual([[], false, 'captured']);
      edit('+= SCALE');
      await build();
      expect([compiled().length, chosen()]).toMatchObject([1, { kind: 'variant', sha256: sha256OfFile(built()) }]);
      utimesSync(variant(), 1, 1);
      utimesSync(header(), 1, 1);
      await build();
      expect(reported).toEqual([]);
      writeFileSync(variant(), source);
      await build();
      expect(compiled()).toEqual([expect.stringContaining('the captured code, byte for byte')]);
    });

    it('builds again after a change of anything else that decides the code', async () => {
      edit('+= SCALE');
      await build();
      const changes: [name: string, change: () => void, undo: () => void, env?: Deps['env']][] = [
        ['a header', () => appendFileSync(header(), '//\n'), () => writeFileSync(header(), '#define SCALE 3.0f\n')],
        [
          'a header that may hide another',
          () => writeFileSync(join(made.reproducer, 'mine.h'), ''),
          () => rmSync(join(made.reproducer, 'mine.h')),
        ],
        ['the toolchain', () => undefined, () => undefined, { ...deps.env, DEVICE_LIB_PATH: dirname(header()) }],
      ];
      for (const [name, change, undo, env = deps.env] of changes) {
        compiled();
        try {
          change();
          await build({ env });
          expect([name, compiled().length]).toEqual([name, 1]);
        } finally {
          undo();
        }
      }
    });

    it('builds an unedited source beside which a file was put that it could include', async () => {
      const mine = join(made.reproducer, 'mine.h');
      writeFileSync(mine, '');
      try {
        await build();
        expect([compiled().length, chosen().kind]).toEqual([1, 'variant']);
      } finally {
        rmSync(mine);
      }
    });

    it('builds in place of a code object that somebody put there, which it keeps', async () => {
      edit('+= SCALE');
      await build();
      const mine = sha256OfFile(built());
      writeFileSync(built(), 'mine');
      await build();
      expect(readFileSync(join(made.reproducer, 'build', 'variant.kept-1.hsaco'), 'utf8')).toBe('mine');
      expect(chosen()).toMatchObject({ kind: 'variant', sha256: mine });
    });

    it('leaves no verdict where the edit does not compile, and is right again once that is undone', async () => {
      const report = join(made.reproducer, 'report.json');
      edit('+= SCALE');
      await build();
      writeFileSync(report, '{ "schema": "kernloop.report/1" }');
      edit('+= nothing');
      for (let time = 0; time < 2; time += 1) expect((await failure(build())).code).toBe('COMPILE_FAILED');
      expect([existsSync(report), thrown(chosen).exitCode]).toEqual([false, 2]);
      edit('+= SCALE');
      await build();
      expect(chosen()).toMatchObject({ kind: 'variant', sha256: sha256OfFile(built()) });
    });

    it('leaves the last verdict where none is asked for', async () => {
      const report = join(made.reproducer, 'report.json');
      writeFileSync(report, '{ "schema": "kernloop.report/1" }');
      try {
        edit('-= SCALE');
        await recompileEdited(options(), false, deps);
        expect([compiled().length, existsSync(report)]).toEqual([1, true]);
      } finally {
        rmSync(report);
      }
    });

    it('leaves a report.json of the user', async () => {
      const report = join(made.reproducer, 'report.json');
      writeFileSync(report, 'mine');
      try {
        edit('+= SCALE');
        await build();
        expect(readFileSync(report, 'utf8')).toBe('mine');
      } finally {
        rmSync(report);
      }
    });

    it.each(['kernel_variant.hip', 'deps/inc/scale.h'])('takes no text of %s for another', async (name) => {
      const path = join(made.reproducer, name);
      edit('+= SCALE');
      const before = readFileSync(path, 'utf8');
      try {
        // Saved while the compiler is at work, and put back before the compilation is checked. Each text on the way compiles.
        const run: Deps['run'] = (file, args, runOptions) => {
          const running = deps.run(file, args, runOptions);
          if (!args.includes(variant()) && !args.some((word) => word.includes('k.hip'))) return running;
          appendFileSync(path, '// another\n');
          truncateSync(path, Buffer.byteLength(before));
          return running;
        };
        const error = await failure(build({ run }));
        expect(error).toMatchObject({ code: 'COMPILE_FAILED', what: `${path} was changed while it was compiled` });
        expect(existsSync(built())).toBe(false);
      } finally {
        writeFileSync(path, before);
      }
    });

    it('compiles once for two commands at once, and moves nothing aside', async () => {
      edit('+= SCALE');
      await Promise.all([build(), build(), recompile(options(), deps)]);
      expect(compiled().length).toBeLessThanOrEqual(2);
      expect(readdirSync(join(made.reproducer, 'build')).sort()).toEqual(['variant.hsaco', 'variant.json']);
      expect(chosen()).toMatchObject({ kind: 'variant', sha256: sha256OfFile(built()) });
    });

    it.each([
      ['before the code is there', false],
      ['before variant.json names the code', true],
    ])('takes nothing for a file of the user that it built itself, and was stopped %s', async (_name, isBuilt) => {
      edit('+= SCALE');
      await build();
      const before = sha256OfFile(built());
      const isNew = (): boolean => existsSync(built()) && sha256OfFile(built()) !== before;
      // A source that names its file is compiled twice.
      edit('-= SCALE * (__FILE__[0] ? 1 : 2)');
      const run: Deps['run'] = (file, args, runOptions) => {
        const isCompilation = args.some((word) => word.endsWith('k.hip'));
        if (isCompilation && isNew() === isBuilt) throw new KernloopError('INTERRUPTED', 'stopped', '');
        return deps.run(file, args, runOptions);
      };
      expect((await failure(build({ run }))).code).toBe('INTERRUPTED');
      await build();
      expect(readdirSync(join(made.reproducer, 'build')).sort()).toEqual(['variant.hsaco', 'variant.json']);
      edit('+= SCALE');
      await build();
      expect(sha256OfFile(built())).toBe(before);
    });

    it('leaves the last build where the disk is full, which says nothing of the source', async () => {
      edit('+= SCALE');
      await build();
      const before = sha256OfFile(built());
      edit('-= SCALE');
      const run: Deps['run'] = (file, args, runOptions) => {
        if (!args.some((word) => word.endsWith('k.hip'))) return deps.run(file, args, runOptions);
        throw Object.assign(new Error('ENOSPC: no space left on device'), {
          ...{ code: 'ENOSPC', syscall: 'write', path: built() },
        });
      };
      await expect(build({ run })).rejects.toThrow('ENOSPC');
      expect(sha256OfFile(built())).toBe(before);
      await build();
      expect(sha256OfFile(built())).not.toBe(before);
    });

    it('leaves what was put beside kernel.json to be judged', async () => {
      const mine = join(made.reproducer, 'optimized.hsaco');
      writeFileSync(mine, 'mine');
      try {
        await build();
        expect([reported, existsSync(built())]).toEqual([[], false]);
      } finally {
        rmSync(mine);
      }
    });

    it('keeps line information that was asked for once', async () => {
      edit('+= SCALE');
      await recompile({ ...options(), lineInfo: true }, deps);
      compiled();
      await build();
      expect(reported).toEqual([]);
      edit('-= SCALE');
      await build();
      expect(readLineTable(readFileSync(built()))).not.toBeNull();
      await build({}, { lineInfo: false });
      expect(readLineTable(readFileSync(built()))).toBeNull();
    });

    it('adds line information to an edit, and accepts a build without it', async () => {
      edit('+= SCALE');
      await recompile({ ...options(), lineInfo: false }, deps);
      compiled();
      await build();
      expect(readLineTable(readFileSync(built()))).toBeNull();
      edit('-= SCALE');
      await build();
      expect(readLineTable(readFileSync(built()))).not.toBeNull();
      expect(isUpToDate({ reproducer: made.reproducer }, deps)).toBe(true);
      expect(isUpToDate({ reproducer: made.reproducer, lineInfo: false }, deps)).toBe(false);
      edit('*= SCALE + 1');
      await recompile(options(), deps);
      expect(readLineTable(readFileSync(built()))).not.toBeNull();
    });

    it('judges what another machine built of the same text, where there is no compiler', async () => {
      const env = { ...deps.env, PATH: made.workspace, KERNLOOP_COMPILER: join(made.workspace, 'none') };
      edit('+= SCALE');
      await build();
      const code = chosen();
      reported.length = 0;
      await build({ env });
      expect(reported).toEqual([expect.stringMatching(/^k was not built again on this machine: /)]);
      expect(chosen()).toEqual(code);
      edit('-= SCALE');
      expect((await failure(build({ env }))).code).toMatch(/^ENVIRONMENT_/);
    });
  });

  it('ends a compiler that runs past its limit', async () => {
    writeFileSync(
      variant(),
      `${source}\ntemplate <long N> struct F { static constexpr long v = F<N - 1>::v + F<N - 2>::v; };\n`,
    );
    const error = await failure(recompile({ ...options(), compileLimitSeconds: 0.01 }, deps));
    expect(error).toMatchObject({ code: 'COMPILE_FAILED' });
    expect(error.what).toContain('longer than 0.01 s');
  });

  it('is a clear error for a kernel without source', async () => {
    const kernelJson = join(made.reproducer, 'kernel.json');
    const original = readFileSync(kernelJson, 'utf8');
    try {
      writeFileSync(
        kernelJson,
        JSON.stringify({ ...(JSON.parse(original) as object), language: 'none', source: null }),
      );
      expect(await failure(recompile(options(), deps))).toMatchObject({ code: 'SOURCE_NOT_FOUND', exitCode: 2 });
    } finally {
      writeFileSync(kernelJson, original);
    }
  });

  it.each(['kernel_variant.hip', 'deps/src/k.hip'])('says which file is missing: %s', async (file) => {
    const path = join(made.reproducer, file);
    const original = readFileSync(path);
    rmSync(path);
    try {
      const error = await failure(recompile(options(), deps));
      expect(error).toMatchObject({ code: 'SOURCE_NOT_FOUND' });
      expect(error.what).toContain(path);
    } finally {
      writeFileSync(path, original);
    }
  });
});
