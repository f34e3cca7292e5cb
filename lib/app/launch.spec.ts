import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeDeps, type FakeProgram } from '../testing/fake-deps';
import { cudaOf } from '../testing/fake-programs';
import { TestWorkspace } from '../testing/workspace';
import type { Device } from '../device/device';
import type { App } from './app';
import { isStatic, launchObstacles } from './launch';

/** An executable ELF file of 64 bits with these program headers. */
function elf(types: readonly number[]): Buffer {
  const file = Buffer.alloc(64 + types.length * 56);
  file.writeUInt32BE(0x7f454c46, 0);
  file[4] = 2;
  file.writeBigUInt64LE(64n, 32);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(types.length, 56);
  types.forEach((type, i) => file.writeUInt32LE(type, 64 + i * 56));
  return file;
}
const [load, interpreter] = [1, 3];

describe('isStatic', () => {
  it('looks for the interpreter among the program headers', () => {
    expect(isStatic(elf([load, load]))).toBe(true);
    expect(isStatic(elf([load, interpreter, load]))).toBe(false);
  });

  it('says nothing of what is no such file', () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('#!/bin/sh\nexec app\n'),
      elf([]),
      elf([load, load]).subarray(0, 100),
    ]) {
      expect(isStatic(bytes)).toBe(false);
    }
  });
});

describe('launchObstacles', () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const softgpu = (): Device => ({
    ...cudaOf(workspace),
    description: { ...cudaOf(workspace).description, kind: 'softgpu' },
    runtime: workspace.native.softgpu,
  });
  const obstacles = (
    command: readonly string[],
    content: string | Buffer = elf([interpreter]),
    ldd: FakeProgram = () => 1,
    mode = 0o755,
  ) => {
    const program = join(workspace.root, 'started');
    writeFileSync(program, content);
    chmodSync(program, mode);
    const app = { config: { name: 'app', command } } as unknown as App;
    return launchObstacles(app, program, softgpu(), fakeDeps({ ldd }, workspace.native));
  };
  const codes = async (...args: Parameters<typeof obstacles>): Promise<string[]> =>
    (await obstacles(...args)).map(({ code }) => code);

  it('finds none for a plain program', async () => {
    expect(await obstacles(['./app', '--env', 'i', '--sudoku'])).toEqual([]);
  });

  it.each([
    [['env', '-i', './app']],
    [['env', '-u', 'X', '-i', './app']],
    [['env', '--ignore-environment', './app']],
    [['sudo', './app']],
    [['sh', '-c', 'exec sudo -u gpu ./app']],
    [['su', '-', 'gpu', '-c', './app']],
    [['docker', 'run', 'image', './app']],
    [['ssh', 'host', './app']],
  ])('%j drops the environment', async (command) => {
    expect(await codes(command)).toEqual(['APP_ENVIRONMENT_DROPPED']);
  });

  it.each([
    [['sudo', '-E', './app']],
    [['sudo', '--preserve-env=LD_LIBRARY_PATH', './app']],
    [['env', 'A=1', './app']],
    [['./su-app', '-']],
  ])('%j does not', async (command) => {
    expect(await codes(command)).toEqual([]);
  });

  it('looks into a script, but not at its comments', async () => {
    expect(await codes(['./run.sh'], '#!/bin/sh\n# not with sudo ./app\nenv -i PATH=/bin ./app\n')).toEqual([
      'APP_ENVIRONMENT_DROPPED',
    ]);
    expect(await codes(['./run.sh'], '#!/bin/sh\n# not with sudo ./app\n./app\n')).toEqual([]);
  });

  it('knows programs into which nothing can be loaded', async () => {
    expect(await codes(['./app'], elf([load]))).toEqual(['APP_STATIC']);
    expect(await codes(['./app'], elf([interpreter]), () => 1, 0o4755)).toEqual(['APP_ENVIRONMENT_DROPPED']);
  });

  it('finds a runtime that comes before the software GPU', async () => {
    const linkedTo =
      (path: string): FakeProgram =>
      ({ print }) => {
        print('\tlibamdhip64.so.5 => /lib/libamdhip64.so.5 (0x1)');
        print(`\tlibhsa-runtime64.so.1 => ${path} (0x2)`);
        return 0;
      };
    const [obstacle] = await obstacles(['./app'], undefined, linkedTo('/opt/rocm/lib/libhsa-runtime64.so.1'));
    expect(obstacle?.code).toBe('RUNTIME_OTHER');
    expect(obstacle?.what).toContain('/opt/rocm/lib/libhsa-runtime64.so.1');
    const alias = join(workspace.root, 'alias');
    mkdirSync(alias);
    symlinkSync(workspace.native.softgpu, join(alias, 'libhsa-runtime64.so.1'));
    expect(await codes(['./app'], undefined, linkedTo(workspace.native.softgpu))).toEqual([]);
    expect(await codes(['./app'], undefined, linkedTo(join(alias, 'libhsa-runtime64.so.1')))).toEqual([]);
  });
});
