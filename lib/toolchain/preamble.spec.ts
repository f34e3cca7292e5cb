// The real hipcc: code is the same with headers that are parsed before, and what could make it another one has none.
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordingDeps } from '../generate/testing/fixture';
import { runProcess } from '../support/exec';
import { failure } from '../testing/failure';
import { compileReproducer } from './compile';
import type { CompileRequest } from './compile-request';
import { leadingIncludes, makePreamble, type Preamble } from './preamble';
import { candidateFolder } from './testing/candidate-folder';

jest.setTimeout(180_000);

const kernel = `
__global__ void scale(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  CHECK(n > 0);
  if (i < n) x[i] = fmaf(x[i], SCALE, sinf(x[i]));
}
`;
const includes = '#include "check.h"\n#include <cmath>\n';
const check = `#pragma once
#include <hip/hip_runtime.h>
#include <cstdio>
#define CHECK(condition) assert(condition)
inline void tell() { std::printf("%s", __FILE__); }
`;

let root: string;
const runs: (readonly string[])[] = [];
const { deps, reported } = recordingDeps({
  run: (file, args, options) => {
    runs.push(args);
    return runProcess(file, args, options);
  },
});
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kernloop preamble-'));
  reported.length = 0;
});
afterEach(() => rmSync(root, { recursive: true }));

const folder = (name: string, text: string, header = check): CompileRequest =>
  candidateFolder(join(root, name), text, header);

async function compiled(request: CompileRequest, preamble?: Preamble) {
  const result = await compileReproducer({ ...request, ...(preamble ? { preamble } : {}) }, deps);
  return { result, code: readFileSync(request.output) };
}

const madeOf = (text: string, header?: string): Promise<Preamble | null> =>
  makePreamble(folder('original', text, header), deps);

describe('headers that are parsed before', () => {
  it('give the same code and the same list of files, also under another name and for an edit', async () => {
    const preamble = await madeOf(includes + kernel);
    expect(preamble).toMatchObject({ prefix: includes });
    if (!preamble) return;
    expect(readFileSync(preamble.header, 'utf8')).toBe(
      '#include <hip/hip_runtime.h>\n#include <cstdio>\n#include <cmath>\n',
    );
    const elsewhere = { deps: '/in/another/place', variant: '/in/another/place/k.hip' };
    for (const text of [kernel, kernel.replace('SCALE', '2.0f'), `#include <hip/hip_fp16.h>\n${kernel}`]) {
      const request = folder('candidate', includes + text);
      expect(await compiled(request, preamble)).toEqual(await compiled(request));
      const moved = { ...request, elsewhere };
      expect(await compiled(moved, preamble)).toEqual(await compiled(moved));
    }
    expect(reported.join('')).toBe('');
    // They were used: nothing was compiled a second time.
    runs.length = 0;
    await compiled(folder('candidate', includes + kernel), preamble);
    expect(runs.map((args) => args.includes('-include-pch'))).toEqual([true]);
  });

  it('say the errors of a source as a compilation of all of it does, and compile it once more if they are out of date', async () => {
    const preamble = await madeOf(includes + kernel);
    if (!preamble) throw new Error('there is none');
    const wrong = folder('candidate', includes + kernel.replace('n > 0', 'm > 0'));
    const said = async (given?: Preamble): Promise<[string, string]> => {
      reported.length = 0;
      const { what } = await failure(compiled(wrong, given));
      return [what, reported.join('')];
    };
    const cold = await said();
    expect(cold[1]).toMatch(/kernel_variant\.hip:\d+:\d+: error: use of undeclared identifier 'm'/);
    expect(await said(preamble)).toEqual(cold);
    // A header that was changed since.
    const request = folder('other', includes + kernel);
    const { code } = await compiled(request);
    utimesSync(preamble.header, new Date(0), new Date(0));
    writeFileSync(preamble.header, '#include <cstdio>\n');
    reported.length = 0;
    expect((await compiled(request, preamble)).code).toEqual(code);
    expect(reported.join('')).not.toContain('error');
  });

  it.each([
    ['a macro of the source decides what they declare', '#define hipMalloc other_malloc\n', check],
    ['a macro of a header of the source does', '', `#define hipMalloc other_malloc\n${check}`],
    ['a pragma comes before them', '', `#pragma clang fp contract(off)\n${check}`],
    ['they are within a namespace', '', `namespace other {\n#include <sys/utsname.h>\n}\n${check}`],
  ])('are not used if %s', async (_name, before, header) => {
    expect(await madeOf(before + includes + kernel, header)).toBeNull();
    expect(existsSync(join(root, 'original', 'build', 'variant.hsaco'))).toBe(false);
  });

  it('are not those of a source that begins with code, or does not compile', async () => {
    expect(await madeOf(`int first;\n${includes}${kernel}`)).toBeNull();
    expect(await madeOf(`${includes}${kernel}#error\n`)).toBeNull();
  });
});

describe('the lines that come before all code', () => {
  it.each([
    ['#include "a.h"\n\n// words\n#include <b>\n\nint c;\n', '#include "a.h"\n\n// words\n#include <b>\n'],
    ['/* one line */\n#include "a.h"\nint c;\n#include "b.h"\n', '/* one line */\n#include "a.h"\n'],
    ['/* two\nlines */\n#include "a.h"\n', ''],
    ['#define A \\\n  int c;\n#include "a.h"\n', ''],
    ['// words \\\nint c;\n#include "a.h"\n', ''],
    ['/* */ int c;\n#include "a.h"\n', ''],
    ['int c;\n#include "a.h"\n', ''],
    ['', ''],
  ])('of %j end with the last include: %j', (text, expected) => {
    expect(leadingIncludes(text)).toBe(expected);
  });
});
