import fs from 'node:fs';
import { join } from 'node:path';
import { fakeDeps } from '../testing/fake-deps';
import { reproducerForEachTest } from '../testing/workspace';
import { keepResult, keptPaths } from './kept-results';

describe('a result that cannot be kept', () => {
  const made = reproducerForEachTest();
  afterEach(() => jest.restoreAllMocks());
  const refuse = (code: string, syscall: string) => (path: unknown) => {
    throw Object.assign(new Error(`${code}: of the system`), { code, syscall, path });
  };

  it('is no error: a line names the folder, the reason and what to do', () => {
    const fake = fakeDeps({}, made.workspace.native);
    const { replay, folder } = keptPaths(made.reproducer);
    // mkdirSync of Node 20 with `recursive` says ENOENT where the file system is read-only.
    jest.spyOn(fs, 'mkdirSync').mockImplementation(refuse('ENOENT', 'mkdir'));
    jest.spyOn(fs, 'accessSync').mockImplementation(refuse('EROFS', 'access'));
    keepResult(replay, 'a'.repeat(64), {}, fake);
    expect(fake.said.info).toEqual([
      expect.stringContaining(`${folder} cannot be written: it lies on a read-only file system (EROFS); mount it`),
    ]);
  });

  it('is one if the reason is not of the system', () => {
    const fake = fakeDeps({}, made.workspace.native);
    const loop: Record<string, unknown> = {};
    loop['loop'] = loop;
    expect(() => keepResult(join(made.reproducer, 'x.json'), '', loop, fake)).toThrow(TypeError);
  });
});
