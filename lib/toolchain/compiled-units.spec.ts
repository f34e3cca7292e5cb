import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledUnits } from './compiled-units';

describe('units that several kernels share', () => {
  let folder: string;
  let units: CompiledUnits;
  let compilations: number;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kernloop-units-'));
    // Installed headers are older than the compilation that reads them.
    units = new CompiledUnits((path) => !path.endsWith('just-changed.h'));
    compilations = 0;
    for (const name of ['header.h', 'just-changed.h']) write(name, 'installed');
    for (const kernel of ['one', 'two']) {
      write(`${kernel}/deps/unit.hip`, 'unit');
      write(`${kernel}/kernel_variant.h`, 'kernels');
    }
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function write(path: string, text: string): void {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  /** A kernel's code, and the files read for it. */
  async function codeOf(kernel: string, words: string[] = [], header = 'header.h'): Promise<[string, string[]]> {
    const reproducer = join(folder, kernel);
    const output = join(folder, `${kernel}.code`);
    const recipe = { main: 'unit.hip', arguments: words, symbol: kernel };
    const request = { reproducer, recipe, compiler: { path: '/usr/bin/clang', version: '15' } };
    const read = [join(reproducer, 'deps/unit.hip'), join(folder, header)];
    const opened = await units.compile(request as unknown as Parameters<CompiledUnits['compile']>[0], output, () => {
      compilations += 1;
      writeFileSync(output, [...read.map((path) => readFileSync(path, 'utf8')), ...words].join(' '));
      return Promise.resolve(read);
    });
    expect(opened).toEqual(read);
    return [readFileSync(output, 'utf8'), opened];
  }

  it('are compiled once, and the files that were read are those of each kernel', async () => {
    const [one] = await codeOf('one');
    const [two] = await codeOf('two');
    expect([one, two, compilations]).toEqual(['unit installed', 'unit installed', 1]);
  });

  it.each<[string, () => void, string]>([
    ['a source', () => write('two/deps/unit.hip', 'other'), 'other installed'],
    ['a file that nobody read, and that may hide another', () => write('two/deps/new.h', ''), 'unit installed'],
    ['an installed header', () => write('header.h', 'updated'), 'unit updated'],
  ])('are compiled again where %s is another', async (_what, change, expected) => {
    await codeOf('one');
    change();
    const [two] = await codeOf('two');
    expect([two, compilations]).toEqual([expected, 2]);
  });

  it('are compiled again with other options', async () => {
    await codeOf('one');
    const [two] = await codeOf('two', ['-O1']);
    expect([two, compilations]).toEqual(['unit installed -O1', 2]);
  });

  it('are no code where only the front end has run', async () => {
    const compile = (output: string, made: 'code' | 'front end'): Promise<string[]> => {
      const request = { reproducer: join(folder, 'one'), recipe: { arguments: [] }, compiler: {} };
      return units.compile(
        request as unknown as Parameters<CompiledUnits['compile']>[0],
        join(folder, output),
        () => {
          writeFileSync(join(folder, output), made);
          return Promise.resolve([join(folder, 'header.h')]);
        },
        made,
      );
    };
    const made = ['front end', 'code', 'front end', 'code'] as const;
    for (const [index, each] of made.entries()) await compile(`output${index}`, each);
    expect(made.map((_, index) => readFileSync(join(folder, `output${index}`), 'utf8'))).toEqual(made);
  });

  it('are compiled again where a header changed so shortly ago that it may be another than was read', async () => {
    await codeOf('one', [], 'just-changed.h');
    await codeOf('two', [], 'just-changed.h');
    expect(compilations).toBe(2);
  });
});
