import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { failure } from '../testing/failure';
import { kernelJson } from '../testing/workspace';
import { noteAdopted } from '../reproducer/adopted-files';
import { adopt } from './adopt';

/** The folder around the reproducer. */
let outside: string;
let root: string;
let said: string[];
const report = {
  info: () => undefined,
  warn: () => undefined,
  output: () => undefined,
  result: (line: string) => void said.push(line),
};

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const run = (reset = false) => adopt({ reproducer: root, reset }, { report });

beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'kernloop-adopt-'));
  root = join(outside, 'kernel');
  said = [];
  for (const file of [
    'kernel_variant.hip',
    'deps/inc/a.h',
    'Makefile',
    'kernel.json',
    'recipe.json',
    'overlay.template.json',
  ]) {
    write(`pristine/${file}`, `pristine ${file}`);
  }
});
afterEach(() => rmSync(outside, { recursive: true }));

describe('adopt', () => {
  it('writes what is not there, but not what stages read from pristine/', async () => {
    const { written, different } = await run();
    expect(written).toEqual(['Makefile', 'deps/inc/a.h', 'kernel.json', 'kernel_variant.hip']);
    expect(different).toEqual([]);
    expect(read('deps/inc/a.h')).toBe('pristine deps/inc/a.h');
    expect(() => statSync(join(root, 'recipe.json'))).toThrow();
  });

  it('writes nothing at all the second time', async () => {
    await run();
    const before = statSync(join(root, 'kernel_variant.hip')).mtimeMs;
    expect(await run()).toMatchObject({ written: [], different: [], reset: [] });
    expect(statSync(join(root, 'kernel_variant.hip')).mtimeMs).toBe(before);
    expect(said.at(-1)).toContain('nothing to do');
  });

  it('takes a kernel.json that names no schema, or another one, for the same, and no other edit of it', async () => {
    write('pristine/kernel.json', JSON.stringify({ $schema: 'a.json', ...kernelJson() }));
    for (const mine of [kernelJson(), { $schema: 'b.json', ...kernelJson() }]) {
      write('kernel.json', JSON.stringify(mine));
      expect((await run()).different).toEqual([]);
      expect(read('kernel.json')).toBe(JSON.stringify(mine));
    }
    write('kernel.json', JSON.stringify({ ...kernelJson(), demangled: 'another' }));
    expect((await run()).different).toEqual(['kernel.json']);
  });

  it('keeps an edit and an added file, also once pristine/ has changed, and says what differs', async () => {
    await run();
    write('kernel_variant.hip', 'mine');
    write('deps/inc/added.h', 'added');
    write('pristine/kernel_variant.hip', 'newer');
    write('deps/inc/a.h', 'mine, too');
    write('pristine/deps/inc/a.h', 'newer');
    expect(await run()).toMatchObject({ written: [], different: ['deps/inc/a.h', 'kernel_variant.hip'] });
    expect([read('kernel_variant.hip'), read('deps/inc/added.h'), read('deps/inc/a.h')]).toEqual([
      'mine',
      'added',
      'mine, too',
    ]);
    expect(said.at(-1)).toContain('kept, not as in pristine/: deps/inc/a.h, kernel_variant.hip');
  });

  it('brings files up to date that are as in the pristine/ before, and no others', async () => {
    await run();
    write('kernel_variant.hip', 'mine');
    write('../elsewhere', 'pristine Makefile');
    rmSync(join(root, 'Makefile'));
    symlinkSync('../elsewhere', join(root, 'Makefile'));
    for (const file of ['kernel_variant.hip', 'deps/inc/a.h', 'Makefile']) write(`pristine/${file}`, 'newer');
    expect(await run()).toMatchObject({
      ...{ written: [], reset: [] },
      updated: ['deps/inc/a.h'],
      different: ['Makefile', 'kernel_variant.hip'],
    });
    const now = ['kernel_variant.hip', 'deps/inc/a.h', '../elsewhere'].map(read);
    expect(now).toEqual(['mine', 'newer', 'pristine Makefile']);
    expect(said).toContainEqual(expect.stringContaining('because you had not edited them: deps/inc/a.h'));
    expect(said.at(-1)).toContain('kept, not as in pristine/: Makefile, kernel_variant.hip');
  });

  it('knows what it wrote after pristine/ was replaced twice, and takes a file that was edited meanwhile for no old one', async () => {
    await run();
    write('pristine/Makefile', 'second');
    await run();
    write('Makefile', 'pristine Makefile');
    write('pristine/Makefile', 'third');
    write('pristine/deps/inc/a.h', 'third');
    // The user went back to the first Makefile, which is an edit of the second one.
    expect(await run()).toMatchObject({ updated: ['deps/inc/a.h'], different: ['Makefile'] });
    expect(read('Makefile')).toBe('pristine Makefile');
  });

  it('follows a pristine/ that replaces one of a fresh clone, whose files nobody adopted here', async () => {
    write('Makefile', 'pristine Makefile');
    write('kernel_variant.hip', 'mine');
    noteAdopted(root);
    for (const file of ['Makefile', 'kernel_variant.hip']) write(`pristine/${file}`, 'newer');
    expect(await run()).toMatchObject({ updated: ['Makefile'], different: ['kernel_variant.hip'] });
  });

  it('updates nothing below a folder that a link leads out to', async () => {
    await run();
    write('../inc/a.h', 'pristine deps/inc/a.h');
    rmSync(join(root, 'deps'), { recursive: true });
    symlinkSync('..', join(root, 'deps'));
    write('pristine/deps/inc/a.h', 'newer');
    const { updated, different } = await run();
    expect([updated, different, read('../inc/a.h')]).toEqual([[], ['deps/inc/a.h'], 'pristine deps/inc/a.h']);
  });

  it('resets a link in its place, and leaves the file that it leads to alone', async () => {
    await run();
    write('../mine.hip', 'precious');
    rmSync(join(root, 'kernel_variant.hip'));
    symlinkSync('../mine.hip', join(root, 'kernel_variant.hip'));
    expect(await run(true)).toMatchObject({ reset: ['kernel_variant.hip'] });
    expect(lstatSync(join(root, 'kernel_variant.hip')).isFile()).toBe(true);
    expect([read('kernel_variant.hip'), read('../mine.hip')]).toEqual(['pristine kernel_variant.hip', 'precious']);
  });

  it.each([
    ['writes', false, 'notes.txt'],
    ['resets', true, 'inc/a.h'],
  ])('%s nothing in a folder that a link leads out to', async (_, reset, file) => {
    await run();
    rmSync(join(root, 'deps'), { recursive: true });
    write(`../others/${file}`, 'precious');
    symlinkSync('../others', join(root, 'deps'));
    const refused = await failure(run(reset));
    expect(refused).toMatchObject({ code: 'PATH_OUTSIDE' });
    expect(refused.what).toContain('deps/inc/a.h');
    expect(
      readdirSync(join(outside, 'others'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
    ).toHaveLength(1);
    expect(read(`../others/${file}`)).toBe('precious');
  });

  it('resets only when told to, and then leaves added files alone', async () => {
    await run();
    write('kernel_variant.hip', 'mine');
    write('helper.h', 'added');
    expect(await run(true)).toMatchObject({ written: [], different: [], reset: ['kernel_variant.hip'] });
    expect([read('kernel_variant.hip'), read('helper.h')]).toEqual(['pristine kernel_variant.hip', 'added']);
  });

  it('brings a deleted file back', async () => {
    await run();
    rmSync(join(root, 'kernel_variant.hip'));
    expect(await run()).toMatchObject({ written: ['kernel_variant.hip'] });
  });

  describe('kernel.json of an earlier capture', () => {
    const [before, after] = ['b'.repeat(64), 'c'.repeat(64)];
    const arg = { index: 0, name: 'y', type: 'float*', declared: null, role: 'inout', element: 'f32' };
    const args = [{ ...arg, offset: 0, size: 8, kind: 'global_buffer' }];
    /** A kernel.json laid out by a user, with a role that the user chose. */
    const mine = JSON.stringify(kernelJson({ args: [{ ...args[0], role: 'out' }], code_object: before }), null, 4);

    it('names the code object that is captured now, and keeps every other byte', async () => {
      write('kernel.json', mine);
      write('pristine/kernel.json', JSON.stringify(kernelJson({ args, code_object: after })));
      expect(await run()).toMatchObject({ updated: ['kernel.json'], different: ['kernel.json'] });
      expect(read('kernel.json')).toBe(mine.replace(before, after));
      expect(await run()).toMatchObject({ updated: [] });
    });

    it('names the device and the symbol of the capture that is there now, too', async () => {
      const isa = 'amdgcn-amd-amdhsa--gfx90a:sramecc-:xnack-';
      const captured = { symbol: '_Z5saxpyPff.other', device: { kind: 'hsa', isa } };
      write('kernel.json', mine);
      write('pristine/kernel.json', JSON.stringify(kernelJson({ args, code_object: before, ...captured })));
      expect(await run()).toMatchObject({ updated: ['kernel.json'] });
      expect(JSON.parse(read('kernel.json'))).toEqual({ ...(JSON.parse(mine) as object), ...captured });
    });

    it.each<[string, object]>([
      ['another kernel', { args, symbol: '_Z3dotPf', demangled: 'dot(float*)' }],
      ['other arguments', { args: [{ ...args[0], offset: 8 }] }],
      ['arguments of another type', { args: [{ ...args[0], type: 'double*' }] }],
    ])('stays as it is where it is of %s', async (_name, overrides) => {
      write('kernel.json', mine);
      write('pristine/kernel.json', JSON.stringify(kernelJson({ ...overrides, code_object: after })));
      expect(await run()).toMatchObject({ updated: [], different: ['kernel.json'] });
      expect(read('kernel.json')).toBe(mine);
    });
  });

  it('counts a folder in the place of a file as a difference, and keeps what is in it', async () => {
    write('Makefile/notes.txt', 'precious');
    expect((await run()).different).toEqual(['Makefile']);
    expect(await failure(run(true))).toMatchObject({ code: 'TARGET_EXISTS' });
    expect(read('Makefile/notes.txt')).toBe('precious');
  });

  it('says what to do where nothing was generated', async () => {
    rmSync(join(root, 'pristine'), { recursive: true });
    const error = await failure(Promise.resolve().then(() => run()));
    expect(error.code).toBe('CAPTURE_MISSING');
    expect(error.hint).toContain('kernloop extract');
  });
});
