import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { failure } from '../testing/failure';
import { adopt } from './adopt';

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
  root = mkdtempSync(join(tmpdir(), 'kernloop-adopt-'));
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
afterEach(() => rmSync(root, { recursive: true }));

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

  it('keeps an edit and an added file, also once pristine/ has changed, and says what differs', async () => {
    await run();
    write('kernel_variant.hip', 'mine');
    write('deps/inc/added.h', 'added');
    write('pristine/deps/inc/a.h', 'newer');
    expect(await run()).toMatchObject({ written: [], different: ['deps/inc/a.h', 'kernel_variant.hip'] });
    expect([read('kernel_variant.hip'), read('deps/inc/added.h'), read('deps/inc/a.h')]).toEqual([
      'mine',
      'added',
      'pristine deps/inc/a.h',
    ]);
    expect(said.at(-1)).toContain('kept, not as in pristine/: deps/inc/a.h, kernel_variant.hip');
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

  it('counts a folder in the place of a file as a difference', async () => {
    mkdirSync(join(root, 'Makefile'));
    expect((await run()).different).toEqual(['Makefile']);
  });

  it('says what to do where nothing was generated', async () => {
    rmSync(join(root, 'pristine'), { recursive: true });
    const error = await failure(Promise.resolve().then(() => run()));
    expect(error.code).toBe('CAPTURE_MISSING');
    expect(error.hint).toContain('kernloop extract');
  });
});
