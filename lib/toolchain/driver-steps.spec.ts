// The real hipcc: the driver's own steps give its code, its messages and its verdict on places, and are asked for once.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordingDeps } from '../generate/testing/fixture';
import { dependsOnPlace } from '../recompile/place-dependence';
import { runProcess } from '../support/exec';
import { failure } from '../testing/failure';
import { compileReproducer } from './compile';
import type { CompileRequest } from './compile-request';
import { DriverSteps, KnownSteps } from './driver-steps';
import { candidateFolder } from './testing/candidate-folder';

jest.setTimeout(180_000);

const kernel = `#include <hip/hip_runtime.h>
#include "check.h"
__device__ int table[] = {1, 2, 3};
__global__ void scale(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = fmaf(x[i], SCALE, PLACE);
}
`;
/** A macro that most sources have: the host alone uses its path. */
const check = '#pragma once\n#include <cstdio>\ninline void tell() { std::printf("%s", __FILE__); }\n';
const kernelWith = (place: string): string => kernel.replace('PLACE', place);

let root: string;
let runs: (readonly string[])[] = [];
const { deps, reported } = recordingDeps({
  run: (file, args, options) => {
    // The reader of the code that a compiler wrote is no step of a driver.
    if (args[0] !== 'describe') runs.push(args);
    return runProcess(file, args, options);
  },
});
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kernloop steps-'));
  runs = [];
  reported.length = 0;
});
afterEach(() => rmSync(root, { recursive: true }));

/** A folder as a judge makes one for each candidate, at the same path. */
function folder(text: string): CompileRequest {
  const reproducer = join(root, 'candidate-1');
  rmSync(reproducer, { recursive: true, force: true });
  return candidateFolder(reproducer, text, check);
}

async function compiled(text: string, known?: KnownSteps) {
  const request = folder(text);
  const result = await compileReproducer({ ...request, ...(known && { steps: new DriverSteps(known) }) }, deps);
  return { result, code: readFileSync(request.output) };
}

/** Whether the code depends on its place, or the code of the refusal. */
async function placeOf(text: string, known?: KnownSteps): Promise<boolean | string> {
  const request = { ...folder(text), ...(known && { steps: new DriverSteps(known) }) };
  const result = await compileReproducer(request, deps);
  runs = [];
  try {
    return await dependsOnPlace(request, { ...result, outside: [] }, deps);
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const questions = (): number => runs.filter((args) => args.includes('-###')).length;
const isFrontEnd = (args: readonly string[]): boolean => args[0] === '-cc1' || args.includes('-cc1');

describe('the steps of the driver, run without it', () => {
  it('give the same code and the same list of files for each edit, and are asked for once', async () => {
    const known = new KnownSteps();
    const edits = [kernelWith('1.0f'), kernelWith('n * 2.0f'), kernelWith('sinf(x[i])')];
    for (const text of edits) expect(await compiled(text, known)).toEqual(await compiled(text));
    expect([questions(), reported.join('')]).toEqual([1, '']);
    runs = [];
    await compiled(kernelWith('4.0f'), known);
    // The front end and the linker; no driver, and nothing a second time.
    expect(runs.map(isFrontEnd)).toEqual([true, false]);
  });

  it('are asked for again where something that the driver looks at may have changed', async () => {
    let state: string | null = 'one';
    const seen: string[] = [];
    const known = new KnownSteps((paths) => {
      seen.push(...paths);
      return state;
    });
    const askedNow = async (): Promise<number> => {
      runs = [];
      await compiled(kernelWith('1.0f'), known);
      return questions();
    };
    expect([await askedNow(), await askedNow()]).toEqual([1, 0]);
    state = 'two';
    expect([await askedNow(), await askedNow()]).toEqual([1, 0]);
    state = null;
    expect([await askedNow(), await askedNow()]).toEqual([1, 1]);
    // The compiler that is started, where it finds GCC, and no file of the candidate.
    expect(seen).toEqual(expect.arrayContaining(['/usr/bin/hipcc', '/usr/lib/llvm-15/bin/clang', '/usr', '/opt']));
    expect(seen.some((path) => /lib\/gcc\/[^/]+$/.test(path))).toBe(true);
    expect(seen.filter((path) => path.startsWith(root))).toEqual([]);
  });

  it('say of a source that does not compile or link what the driver says', async () => {
    const known = new KnownSteps();
    await compiled(kernelWith('1.0f'), known);
    const said = async (text: string, given?: KnownSteps): Promise<[string, string]> => {
      reported.length = 0;
      const { what } = await failure(compiled(text, given));
      // Temporary files of the driver have names of their own.
      return [what, reported.join('').replaceAll(/\/k-\w+\//g, '/k-/')];
    };
    const missing = kernelWith('elsewhere(i)').replace('__global__', '__device__ float elsewhere(int);\n__global__');
    for (const text of [
      kernelWith('undeclared'),
      missing,
      `${kernelWith('1.0f')}\n#pragma clang __debug parser_crash\n`,
    ]) {
      const [what, output] = await said(text);
      expect(what).toMatch(/did not compile|is linked with/);
      const ofSteps = await said(text, known);
      expect(ofSteps[0]).toBe(what);
      // A crash names files of its own.
      if (!text.includes('crash')) expect(ofSteps[1]).toBe(output);
    }
  });

  it.each<[string, string, boolean | string]>([
    ['the path of a host function', '1.0f', false],
    ['the length of the path', 'static_cast<float>(sizeof(__FILE__))', true],
    ['a letter of the path', '__FILE__[0] == 46 ? 1.0f : 2.0f', 'SOURCE_DEPENDS_ON_REPRODUCER'],
    ['the length of what a function tells', '__builtin_strlen(__builtin_FILE())', true],
    ['the date', '__DATE__[10] == 49 ? 1.0f : 2.0f', 'SOURCE_DEPENDS_ON_REPRODUCER'],
  ])('find that the code depends on %s, as compilations of all of it do', async (_name, place, verdict) => {
    const known = new KnownSteps();
    const today = kernelWith(place);
    const plain = await placeOf(today);
    const drivers = runs.length;
    expect([plain, await placeOf(today, known)]).toEqual([verdict, verdict]);
    // If nothing depends on it, the front end alone says it.
    if (verdict === false) expect([drivers, runs.map(isFrontEnd)]).toEqual([2, [true, true]]);
  });
});
