import fs from 'node:fs';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeProgram } from '../testing/fake-deps';
import { nativePathsIn } from '../native/native-paths';
import { runCompiler } from './run-compiler';

describe('a compiler that fails', () => {
  const failing = async (stderrTail: string) => (await failingWith(stderrTail)).error;
  const failingWith = async (stderrTail: string) => {
    const clang: FakeProgram = ({ options }) => {
      options.onStderr?.(stderrTail);
      return { exitCode: 1, stderrTail };
    };
    const deps = fakeDeps({ clang }, nativePathsIn('/native'));
    const command = {
      program: 'clang',
      args: [],
      cwd: '/r',
      env: {},
      limitSeconds: 1,
      variantFile: 'kernel_variant.hip',
    };
    return { error: await failure(runCompiler(command, deps)), said: deps.said.output };
  };

  it.each([
    "error: unable to open output file '/r/build/variant.hsaco': 'Read-only file system'",
    "error: unable to open output file '/r/build/variant.hsaco': 'Permission denied'",
    'fatal error: error in backend: IO failure on output stream: No space left on device',
    "ptxas fatal   : Could not open output file 'kernel.cubin'",
  ])('has not looked at a wrong source where it cannot write: %s', async (line) => {
    const error = await failing(`In file included from kernel_variant.hip:1:\n${line}\n1 error generated.\n`);
    expect([error.code, error.exitCode]).toEqual(['FILE_UNWRITABLE', 5]);
    expect(error.what).toBe(`kernel_variant.hip was not compiled: the compiler cannot write: ${line}`);
    expect(error.hint).toContain('build/');
  });

  const crash = [
    'PLEASE submit a bug report to LLVM and include the crash backtrace.',
    'Stack dump:',
    ' #0 0x00007f83 llvm::sys::PrintStackTrace',
    'clang: error: amdgcn-link command failed due to signal (use -v to see invocation)\n',
  ].join('\n');

  it.each([
    ['nearly full', 20, 'FILE_UNWRITABLE', ['kernel_variant.hip:1: warning: w\n']],
    ['roomy', 1 << 20, 'COMPILE_FAILED', ['kernel_variant.hip:1: warning: w\n', crash]],
  ])('that dies on a disk that is %s tells what it died of', async (_, bavail, code, output) => {
    const statfs = jest.spyOn(fs, 'statfsSync').mockReturnValue({ bavail, bsize: 4096, blocks: 30 } as fs.StatsFs);
    try {
      const { error, said } = await failingWith(`kernel_variant.hip:1: warning: w\n${crash}`);
      expect([error.code, said]).toEqual([code, output]);
      if (code === 'FILE_UNWRITABLE') {
        expect(error.exitCode).toBe(5);
        expect(error.what).toBe(
          'kernel_variant.hip was not compiled: the disk is full: the compiler died, and /r has 80.0 KiB left',
        );
      }
    } finally {
      statfs.mockRestore();
    }
  });

  it('rejects a source on a full disk as on any other, if it did not die', async () => {
    const statfs = jest.spyOn(fs, 'statfsSync').mockReturnValue({ bavail: 0, bsize: 4096, blocks: 30 } as fs.StatsFs);
    try {
      expect(await failing('kernel_variant.hip:2:3: error: no\n')).toMatchObject({ code: 'COMPILE_FAILED' });
    } finally {
      statfs.mockRestore();
    }
  });

  it.each([
    "kernel_variant.hip:1:10: fatal error: cannot open file 'secret.h': Permission denied",
    "kernel_variant.hip:2:3: error: use of undeclared identifier 'open_output_file'",
  ])('names its first error else: %s', async (line) => {
    const error = await failing(`${line}\n`);
    expect(error.brief).toBe(`kernel_variant.hip did not compile, see ${line.split(': ')[0]} above`);
    expect(error).toMatchObject({
      code: 'COMPILE_FAILED',
      what: `kernel_variant.hip did not compile: ${line}`,
    });
  });

  it('repeats an error without a place, and names a header that has it', async () => {
    const linker = 'ld.lld: error: something of the linker';
    expect((await failing(`${linker}\n`)).brief).toBe(`kernel_variant.hip did not compile: ${linker}`);
    const header = await failing('/r/deps/some.h:4:5: error: expected expression\n');
    expect(header.brief).toBe('kernel_variant.hip did not compile, see some.h:4:5 above');
  });
});
