import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { builtIn } from '../source/built-objects';
import { runProcess, type ProcessRunner } from '../support/exec';
import { readCompileDatabase } from '../toolchain/compile-database';
import { hipDialect } from '../toolchain/dialect-hip';
import type { Recipe } from '../toolchain/recipe';
import type { TranslationUnit } from '../toolchain/translation-unit';
import { generate } from './generate';
import type { GenerateResult } from './result';
import { fixture, recordingDeps, write, type Fixture } from './testing/fixture';

jest.setTimeout(120_000);

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const symbol = '_Z5scaleIfEvPT_i';
/** Declares what it needs of HIP: with HIP's headers a unit takes six times as long. */
const header = `#define __global__ __attribute__((global))
#define LANE __builtin_amdgcn_workitem_id_x()
struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, unsigned long, void*);
template <class T> __global__ void scale(T* x, int n) { if (LANE < n) x[LANE] *= 3; }
`;
const unit = (number: number): string => `unit${number}.hip`;
const object = ({ app }: Fixture, number: number): string => join(app, 'build', `${unit(number)}.o`);

/** An app of `count` units that all include the kernel's template and some of which instantiate it. */
function make(count: number, instantiated: Record<number, string>, captured: number): Fixture {
  const numbers = Array.from({ length: count }, (_, number) => number);
  const made = fixture({
    sources: {
      'scale.h': header,
      ...Object.fromEntries(
        numbers.map((number) => [unit(number), `#include "scale.h"\n${instantiated[number] ?? 'int nothing;'}\n`]),
      ),
    },
    commands: Object.fromEntries(numbers.map((number) => [unit(number), '-O3 -nogpuinc --offload-arch=gfx90a'])),
    captured: unit(captured),
    symbol,
    name: 'void scale<float>(float*, int)',
  });
  folders.push(made.workspace);
  return made;
}

/** Replaces the compiler by a program that records how often it is started, and for which unit. */
function countCalls({ workspace, app }: Fixture): () => string[] {
  const log = join(workspace, 'calls');
  const counting = join(workspace, 'hipcc');
  writeFileSync(counting, `#!/bin/bash\necho "$@" >> '${log}'\nexec /usr/bin/hipcc "$@"\n`, { mode: 0o755 });
  const database = join(app, 'build', 'compile_commands.json');
  writeFileSync(database, readFileSync(database, 'utf8').replaceAll('"hipcc"', JSON.stringify(counting)));
  return () =>
    readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => /unit\d+\.hip|--version/.exec(line)?.[0] ?? line)
      .sort();
}

interface Searched {
  result: GenerateResult;
  /** Compiled unit in the reproducer. */
  main: string;
  /** Units scanned for their headers, and units compiled. */
  scanned: string[];
  compiled: string[];
}

async function search({ app }: Fixture): Promise<Searched> {
  const scanned: string[] = [];
  const compiled: string[] = [];
  const run: ProcessRunner = (file, args, options) => {
    const source = basename(args.find((arg) => /unit\d+\.hip$/.test(arg)) ?? '');
    if (source && args.includes('-E')) scanned.push(source);
    else if (source && args.includes('-c')) compiled.push(source);
    return runProcess(file, args, options);
  };
  const result = await generate({ app, kernel: 'k', compileLimitSeconds: 120 }, recordingDeps({ run }).deps);
  const { main } = JSON.parse(readFileSync(join(result.pristine, 'recipe.json'), 'utf8')) as Recipe;
  return { result, main, scanned, compiled };
}

/** Compiles a unit as the app's build does. */
function build(made: Fixture, number: number): void {
  const args = [
    '-O3',
    '-nogpuinc',
    '--offload-arch=gfx90a',
    '-c',
    join(made.app, unit(number)),
    '-o',
    object(made, number),
  ];
  execFileSync('hipcc', args, { env: { ...process.env, HIP_PLATFORM: 'amd' }, stdio: 'pipe' });
}

const float = 'template __global__ void scale<float>(float*, int);';

describe('a kernel whose unit the build tells', () => {
  it('asks no other of 150 for its headers, and compiles no other', async () => {
    const made = make(150, { 7: 'template __global__ void scale<double>(double*, int);', 123: float }, 123);
    const calls = countCalls(made);
    for (let number = 0; number < 150; number += 1) {
      // Longer names that contain the symbol, across chunk borders of a chunked reader.
      if (number !== 7 && number !== 123) write(object(made, number), `\0${symbol}i\0_${symbol}\0$${symbol}\0`);
    }
    build(made, 7);
    build(made, 123);
    const { result, main } = await search(made);
    expect([result.identical, main]).toEqual([true, 'unit123.hip']);
    // All starts of the compiler: one each for its version, the unit's headers and the proof.
    expect(calls()).toEqual(['--version', 'unit123.hip', 'unit123.hip']);
  });

  it('is told by an archive where the objects are gone', async () => {
    const made = make(40, { 7: 'template __global__ void scale<double>(double*, int);', 23: float }, 23);
    for (let number = 0; number < 40; number += 1)
      if (number !== 7 && number !== 23) write(object(made, number), `\0${symbol}i\0`);
    build(made, 7);
    build(made, 23);
    const objects = Array.from({ length: 40 }, (_, number) => object(made, number));
    for (const kind of ['rc', 'rcT']) {
      rmSync(join(made.app, 'build', 'libunits.a'), { force: true });
      execFileSync('ar', [kind, 'libunits.a', ...objects.map((path) => basename(path))], {
        cwd: join(made.app, 'build'),
      });
      // Members of a thin archive are files of their own, so they stay.
      if (kind === 'rc') for (const path of objects) rmSync(path);
      const { result, main, scanned } = await search(made);
      expect([kind, result.identical, main, scanned]).toEqual([kind, true, 'unit23.hip', ['unit23.hip']]);
      if (kind === 'rc') execFileSync('ar', ['x', 'libunits.a'], { cwd: join(made.app, 'build') });
    }
  });

  it('is told by what the build wrote down of the headers, where no object is there', async () => {
    const made = make(12, { 3: float }, 3);
    const kernel = join(made.app, 'scale.h');
    // Unit 5 was edited later, so its recorded inputs are out of date.
    for (let number = 0; number < 12; number += 1) {
      const source = join(made.app, unit(number));
      if (number !== 3 && number !== 5) write(source, 'int nothing;\n');
      const rule = `unit.o: ${source.replaceAll(' ', '\\ ')}`;
      write(
        `${object(made, number)}.d`,
        `${rule}${[3, 5].includes(number) ? ` ${kernel.replaceAll(' ', '\\ ')}` : ''}\n`,
      );
    }
    const later = new Date(Date.now() + 60_000);
    utimesSync(join(made.app, unit(5)), later, later);
    const { result, main, scanned } = await search(made);
    expect([result.identical, main]).toEqual([true, 'unit3.hip']);
    expect([...scanned].sort()).toEqual(['unit3.hip', 'unit5.hip']);
  });

  it('takes the one that compiles to the captured code, where several have it', async () => {
    const other = `#define OTHER\n${float}\n__global__ void second() {}`;
    const made = make(4, { 1: other, 2: float }, 2);
    build(made, 1);
    build(made, 2);
    const { result, main, scanned } = await search(made);
    expect([result.identical, main]).toEqual([true, 'unit2.hip']);
    expect([...scanned].sort()).toEqual(['unit1.hip', 'unit2.hip']);
  });

  it('looks at the others where the object is of an older source', async () => {
    const made = make(3, { 2: float }, 2);
    write(object(made, 0), `\0${symbol}\0`);
    write(object(made, 2), 'nothing of the kind');
    const { result, main } = await search(made);
    expect([result.identical, main]).toEqual([true, 'unit2.hip']);
  });

  it('finds it without any object', async () => {
    const made = make(3, { 2: float }, 2);
    const { result, main, scanned } = await search(made);
    expect([result.identical, main]).toEqual([true, 'unit2.hip']);
    expect(scanned).toHaveLength(3);
  });
});

describe('builtIn', () => {
  it('sees a name that lies across two parts of a large object', async () => {
    const made = make(1, { 0: float }, 0);
    const [template] = unitsOf(made);
    if (!template) throw new Error('no unit');
    const large = object(made, 9);
    const part = 4 * 2 ** 20;
    for (const at of [part - 5, part - symbol.length, part, part - symbol.length - 1]) {
      write(large, `${'\0'.repeat(at)}${symbol}${'\0'.repeat(part)}`);
      expect(await builtIn([{ ...template, output: large }], symbol, made.app)).toEqual(['holds']);
    }
    write(large, `${'\0'.repeat(part - symbol.length)}${symbol}_${'\0'.repeat(part)}`);
    expect(await builtIn([{ ...template, output: large }], symbol, made.app)).toEqual(['lacks']);
    expect(await builtIn([{ ...template, output: join(made.app, 'absent.o') }], symbol, made.app)).toEqual(['unknown']);
    expect(await builtIn([{ ...template, output: made.app }], symbol, made.app)).toEqual(['unknown']);
  });
});

function unitsOf({ app }: Fixture): TranslationUnit[] {
  return readCompileDatabase(join(app, 'build', 'compile_commands.json'))
    .map((command) => hipDialect.read(command, {}))
    .filter((found) => found !== null);
}
