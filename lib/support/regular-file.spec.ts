import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { failure, thrown } from '../testing/failure';
import { fakeDeps } from '../testing/fake-deps';
import { fakeReplay } from '../testing/fake-programs';
import { reproducerForEachTest, writeVariant } from '../testing/workspace';
import { recompile } from '../recompile/recompile';
import { validate } from '../validate/validate';
import { validateOptionsSchema } from '../validate/options';
import { sha256OfFile } from './files';
import { readRegularFile, refuseSpecialFiles } from './regular-file';
import { readJson } from './schema';

const makeFifo = (path: string): void => {
  rmSync(path, { force: true });
  execFileSync('mkfifo', [path]);
};

describe('a file that is read', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kernloop-regular-'))));
  afterEach(() => rmSync(folder, { recursive: true }));
  const here = (): string => join(folder, 'kernel_variant.hip');

  it.each<[string, () => void]>([
    ['a FIFO', () => makeFifo(here())],
    ['a folder', () => mkdirSync(here())],
    ['a device', () => symlinkSync('/dev/zero', here())],
  ])('may not be %s, which would be waited for', (what, make) => {
    make();
    for (const read of [
      (path: string) => readRegularFile(path),
      sha256OfFile,
      (path: string) => readJson(path, z.unknown(), 'USAGE', ''),
    ]) {
      const error = thrown(() => read(here()));
      expect([error.code, error.exitCode]).toEqual(['FILE_UNREADABLE', 2]);
      expect(error.what).toBe(`${here()} is ${what}, and must be a regular file`);
    }
  });

  it('is read through a link, and whole where it is larger than it was', () => {
    writeFileSync(join(folder, 'there'), 'text');
    symlinkSync('there', here());
    expect(readRegularFile(here()).toString()).toBe('text');
    // Files in /proc report a size of 0.
    expect(readRegularFile('/proc/self/status').toString()).toContain('VmRSS');
  });

  it('is refused by name anywhere in a folder, and what is beside it is not', () => {
    mkdirSync(join(folder, 'deps/inc'), { recursive: true });
    writeFileSync(join(folder, 'deps/inc/a.h'), '');
    symlinkSync('nowhere', join(folder, 'deps/inc/broken.h'));
    refuseSpecialFiles(folder, ['deps', 'absent']);
    makeFifo(join(folder, 'deps/inc/b.h'));
    expect(thrown(() => refuseSpecialFiles(folder, ['deps', 'absent'])).what).toContain('deps/inc/b.h is a FIFO');
    expect(() => refuseSpecialFiles(folder, ['absent'])).not.toThrow();
  });
});

describe('a FIFO in a reproducer', () => {
  const made = reproducerForEachTest();
  const file = (name: string): string => join(made.reproducer, name);
  const deps = () => fakeDeps({ 'kernloop-replay': fakeReplay() }, made.workspace.native);
  const judged = () =>
    failure(validate(validateOptionsSchema.parse({ reproducer: made.reproducer, adverse: false }), deps()));

  it.each([
    'kernel_variant.hip',
    'build/variant.hsaco',
    'build/variant.json',
    'capture/capture.json',
    'capture/selfcheck.json',
    'capture/chunks.pack',
    'kernel.json',
    'mine.hsaco',
  ])('in the place of %s ends validate with its name', async (name) => {
    writeVariant(made.workspace);
    makeFifo(file(name));
    const error = await judged();
    expect(error).toMatchObject({ code: name === 'mine.hsaco' ? 'VARIANT_MISSING' : 'FILE_UNREADABLE' });
    expect(error.what).toContain(file(name));
  });

  it('in the place of a source that was never built ends validate', async () => {
    makeFifo(file('kernel_variant.hip'));
    expect((await judged()).what).toBe(`${file('kernel_variant.hip')} is a FIFO, and must be a regular file`);
  });

  it.each(['kernel_variant.hip', 'deps/inc/a.h'])('in the place of %s ends recompile', async (name) => {
    made.workspace.write('kernels/app/saxpy/deps/inc/b.h', '');
    makeFifo(file(name));
    const error = await failure(recompile({ reproducer: made.reproducer, compileLimitSeconds: 10 }, deps()));
    expect(error).toMatchObject({ code: 'FILE_UNREADABLE' });
    expect(error.what).toContain(`${name} is a FIFO`);
  });
});
