import fs from 'node:fs';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { difference, differed, fakeReplay } from '../testing/fake-programs';
import { reproducerForEachTest } from '../testing/workspace';
import { validate } from '../validate/validate';
import { validateOptionsSchema } from '../validate/options';
import { asKernloopError } from './error';
import { writeFileAtomic } from './files';
import { partialOf } from './leftovers';

const systemError = (code: string, syscall: string, path: string): Error =>
  Object.assign(new Error(`${code}: said by the system, ${syscall} '${path}'`), { code, syscall, path });

function thrownAny(action: () => void): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('it passed');
}

describe('what the system does not let be written', () => {
  it.each<[string, string, RegExp]>([
    ['EROFS', 'open', /read-only/],
    ['EACCES', 'mkdir', /permission/],
    ['EPERM', 'unlink', /permission/],
    ['ENOSPC', 'write', /full/],
    ['EDQUOT', 'write', /quota/],
    ['EBUSY', 'rename', /in use/],
    ['EISDIR', 'rename', /folder/],
    ['EEXIST', 'mkdir', /a file in its place/],
    ['ENOTDIR', 'mkdir', /is a file, and no folder/],
    ['ENAMETOOLONG', 'mkdir', /longer than/],
  ])('is no bug of Kernloop: %s', (code, syscall, reason) => {
    const error = asKernloopError(systemError(code, syscall, partialOf('/r/report.json')));
    expect([error.code, error.exitCode]).toEqual(['FILE_UNWRITABLE', 5]);
    expect(error.what).toContain('/r/report.json cannot be written: ');
    expect(error.what).not.toContain('partial');
    expect(error.what).toMatch(reason);
    expect(error.hint).toMatch(/\w/);
  });

  it('is named where the error is about a descriptor, and has no name', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    });
    expect(asKernloopError(full)).toMatchObject({
      code: 'FILE_UNWRITABLE',
      what: `a file (of the workspace, or in ${tmpdir()} for temporary ones) cannot be written: the disk is full (ENOSPC)`,
    });
    const folder = mkdtempSync(join(tmpdir(), 'kernloop-unwritable-'));
    jest.spyOn(fs, 'writeSync').mockImplementation(() => {
      throw full;
    });
    try {
      const failed = thrownAny(() => writeFileAtomic(join(folder, 'report.json'), 'text'));
      expect(asKernloopError(failed)).toMatchObject({ code: 'FILE_UNWRITABLE' });
      expect(asKernloopError(failed).what).toBe(`${folder}/report.json cannot be written: the disk is full (ENOSPC)`);
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      jest.restoreAllMocks();
      rmSync(folder, { recursive: true });
    }
  });

  it('is the copy, not what was copied', () => {
    const error = Object.assign(systemError('ENOSPC', 'copyfile', '/r/source.h'), { dest: '/tmp/copy.h' });
    expect(asKernloopError(error).what).toMatch(/^\/tmp\/copy\.h cannot be written: /);
  });

  it.each([
    ['ENOENT', 'open', '/r/a'],
    ['EACCES', 'open', '/r/a'],
    ['EBUSY', 'read', '/r/a'],
  ])('is nothing else: %s of %s', (code, syscall, path) => {
    expect(asKernloopError(systemError(code, syscall, path)).code).not.toBe('FILE_UNWRITABLE');
  });
});

describe('a folder that Node cannot make', () => {
  afterEach(() => jest.restoreAllMocks());
  // mkdirSync of Node 20 with `recursive` says ENOENT where the file system is read-only.
  const error = systemError('ENOENT', 'mkdir', join(tmpdir(), 'no', 'such', 'folder'));
  const asked = (access: () => void) => {
    const spy = jest.spyOn(fs, 'accessSync').mockImplementation(access);
    return { known: asKernloopError(error), folders: spy.mock.calls.map(([path]) => path) };
  };

  it.each<[string, RegExp]>([
    ['EROFS', /no\/such\/folder cannot be written: it lies on a read-only file system/],
    ['EACCES', /no\/such\/folder cannot be written: there is no permission/],
  ])('has the reason of the folder above it that exists: %s', (code, what) => {
    const { known, folders } = asked(() => {
      throw systemError(code, 'access', tmpdir());
    });
    expect([known.code, known.what, folders]).toEqual(['FILE_UNWRITABLE', expect.stringMatching(what), [tmpdir()]]);
  });

  it('is a bug where that folder may be written', () => {
    expect(asked(() => undefined).known.code).toBe('INTERNAL_ERROR');
  });
});

describe('what the system does not let be opened', () => {
  it.each<[string, string, RegExp]>([
    ['EACCES', 'open', /permission/],
    ['EACCES', 'scandir', /permission/],
    ['EIO', 'read', /answers with an error/],
    ['ELOOP', 'stat', /circle/],
  ])('is no bug of Kernloop: %s of %s', (code, syscall, reason) => {
    const error = asKernloopError(systemError(code, syscall, '/r/kernel.json'));
    expect([error.code, error.exitCode]).toEqual(['FILE_UNREADABLE', 2]);
    expect(error.what).toMatch(/^\/r\/kernel.json cannot be opened: /);
    expect(error.what).toMatch(reason);
    expect(error.hint).not.toContain('FILE');
  });

  it.each([
    ['ENOENT', 'open'],
    ['EACCES', 'connect'],
    ['EACCES', 'spawn'],
  ])('is nothing else: %s of %s', (code, syscall) => {
    expect(asKernloopError(systemError(code, syscall, '/r/a')).code).toBe('INTERNAL_ERROR');
  });
});

describe('a verdict whose file cannot be written', () => {
  const made = reproducerForEachTest();
  afterEach(() => jest.restoreAllMocks());

  const earlier = '{ "schema": "kernloop.report/1", "verdict": "fail" }';
  const deps = (events?: object[]): FakeDeps =>
    fakeDeps({ 'kernloop-replay': fakeReplay(events && (() => events)) }, made.workspace.native);
  const judge = (fake: FakeDeps) =>
    failure(validate(validateOptionsSchema.parse({ reproducer: made.reproducer, adverse: false }), fake));
  /** Simulates a read-only mount of the reproducer's folder. */
  const makeReadOnly = (code: string): void => {
    const refuse = (syscall: string, path: unknown): void => {
      if (String(path).startsWith(made.reproducer)) throw systemError(code, syscall, String(path));
    };
    const { openSync, mkdirSync: mkdir, renameSync, rmSync } = fs;
    jest.spyOn(fs, 'openSync').mockImplementation((path, flags, mode) => {
      if (flags === 'w') refuse('open', path);
      return openSync(path, flags, mode);
    });
    jest.spyOn(fs, 'mkdirSync').mockImplementation(((path: string, options: object) => {
      if (!fs.existsSync(path)) refuse('mkdir', path);
      return mkdir(path, options);
    }) as typeof fs.mkdirSync);
    jest.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      refuse('rename', to);
      renameSync(from, to);
    });
    jest.spyOn(fs, 'rmSync').mockImplementation((path, options) => {
      if (fs.existsSync(path)) refuse('unlink', path);
      rmSync(path, options);
    });
  };

  it.each(['EROFS', 'EACCES', 'ENOSPC', 'EBUSY'])('is said, and ends with an error of its own: %s', async (code) => {
    const report = made.workspace.write('kernels/app/saxpy/report.json', earlier);
    makeReadOnly(code);
    const fake = deps();
    const error = await judge(fake);
    expect([error.code, error.exitCode]).toEqual(['FILE_UNWRITABLE', 5]);
    expect(error.what).toContain(`${report} cannot be written: `);
    expect(error.what).toContain('the verdict was PASS (4,096 bytes compared');
    expect(fake.said.result.at(-1)).toContain('Result: PASS (4,096 bytes');
    expect(fake.said.warn.join()).toContain(`${report} is that of an earlier run`);
    expect(fake.said.info.filter((line) => line.includes('not kept'))).toEqual([]);
    expect(readFileSync(report, 'utf8')).toBe(earlier);
  });

  it('says a failure, too', async () => {
    makeReadOnly('EROFS');
    const error = await judge(deps([difference, differed]));
    expect(error.what).toContain('the verdict was FAIL (4 of 4,096 bytes');
  });

  it('leaves a folder of the user in its place alone, before anything is judged', async () => {
    made.workspace.write('kernels/app/saxpy/report.json/precious', 'kept');
    const fake = deps();
    expect(await judge(fake)).toMatchObject({ code: 'TARGET_EXISTS' });
    expect([made.workspace.read('kernels/app/saxpy/report.json/precious'), fake.calls]).toEqual(['kept', []]);
  });
});
