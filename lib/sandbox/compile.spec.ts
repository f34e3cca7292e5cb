// The real hipcc in a sandbox: the same code as outside, and no way to what is not the candidate's.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adopt } from '../adopt/adopt';
import type { Deps } from '../deps/deps';
import { generate } from '../generate/generate';
import { fixture, recordingDeps, type Fixture } from '../generate/testing/fixture';
import { compileVariant } from '../recompile/recompile';
import { openReproducer } from '../reproducer/reproducer';
import { sha256OfFile } from '../support/files';
import { bareHip, hipHeader } from '../testing/bare-hip';
import { failure } from '../testing/failure';
import { inSandbox } from './sandbox';
import { sandboxSupport } from './support';
import { toolchainFolders } from './toolchain-folders';

jest.setTimeout(180_000);

const source = `${hipHeader}
#include "../inc/scale.h"
__global__ void scale(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= SCALE; }
`;

let made: Fixture;
/** A copy of the reproducer without its capture, as a judge makes one for each candidate. */
let candidate: string;
const { deps, reported } = recordingDeps();

beforeAll(async () => {
  made = fixture({
    sources: { 'src/k.hip': source, 'inc/scale.h': '#define SCALE 3.0f\n' },
    commands: { 'src/k.hip': '-O3 --offload-arch=gfx90a' },
    captured: 'src/k.hip',
    bundled: true,
    symbol: '_Z5scalePfi',
    name: 'scale(float*, int)',
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
  candidate = join(made.workspace, 'candidate');
  rmSync(candidate, { recursive: true, force: true });
  cpSync(made.reproducer, candidate, { recursive: true, filter: (path) => !path.endsWith('/capture') });
  mkdirSync(join(candidate, 'build'), { recursive: true });
  reported.length = 0;
});
afterAll(() => rmSync(made.workspace, { recursive: true, force: true }));

const confined = (limits = {}): Deps =>
  inSandbox(deps, {
    read: [...toolchainFolders(['/usr/bin/hipcc'], deps.env), candidate],
    write: [join(candidate, 'build')],
    limits,
  });
const compile = (using: Deps) =>
  compileVariant(openReproducer(candidate), { reproducer: candidate, compileLimitSeconds: 120 }, using);
const edit = (text: string): void => writeFileSync(join(candidate, 'kernel_variant.hip'), text);
const incbin = (path: string): string =>
  `__asm__ volatile(".pushsection .rodata\\n.incbin \\"${path}\\"\\n.popsection");`;
/** Leaves HIP's headers out of the candidate's recipe; returns its source without them. */
function withoutHeaders(): string {
  const path = join(candidate, 'pristine', 'recipe.json');
  const recipe = JSON.parse(readFileSync(path, 'utf8')) as { arguments: string[] };
  writeFileSync(path, JSON.stringify({ ...recipe, arguments: [...bareHip.options, ...recipe.arguments] }));
  return source.replace(hipHeader, bareHip.header);
}
const built = (): string => join(candidate, 'build', 'variant.hsaco');

describe('hipcc in a sandbox', () => {
  it('can be had on this machine', async () => {
    expect((await sandboxSupport(deps)).landlockAbi).toBeGreaterThan(0);
  });

  it('gives the captured code, byte for byte, and that of an edit as outside', async () => {
    expect(await compile(confined())).toMatchObject({ unchanged: true });
    edit(source.replace('x[i] *=', 'x[i] +='));
    await compile(confined());
    const inside = sha256OfFile(built());
    rmSync(built());
    await compile(deps);
    expect(sha256OfFile(built())).toBe(inside);
  });

  it.each([
    ['#include', (path: string, bare: string) => `#include "${path}"\n${bare}`],
    ['__has_include', (path: string, bare: string) => `#if __has_include("${path}")\n#endif\n${bare}`],
    ['.incbin', (path: string, bare: string) => bare.replace('int i =', `${incbin(path)} int i =`)],
  ])('reads no capture by %s, which it does outside', async (way, text) => {
    // A text that compiles, so that only the sandbox refuses it.
    const capture = join(made.reproducer, 'capture', 'expected.h');
    writeFileSync(capture, '// expected values\n');
    edit(text(capture, withoutHeaders()));
    expect(await failure(compile(confined()))).toMatchObject({ code: 'COMPILE_FAILED' });
    expect(reported.join('')).toMatch(/expected\.h.*(Permission denied|not permitted)|could not find.*expected\.h/i);
    expect(existsSync(built())).toBe(false);
    await compile(deps);
    expect(readFileSync(built()).includes('expected values')).toBe(way === '.incbin');
  });

  it('is held by a limit of memory, and works within usual ones', async () => {
    const error = await failure(compile(confined({ memoryBytes: 40 * 2 ** 20 })));
    expect(error.code).toBe('COMPILE_FAILED');
    expect(reported.join('')).toMatch(
      /failed to map segment|[Cc]annot allocate memory|out of memory|more than \d+ bytes of memory/,
    );
    await compile(confined({ memoryBytes: 4 * 2 ** 30, fileBytes: 64 * 2 ** 20, cpuSeconds: 60 }));
  });
});
