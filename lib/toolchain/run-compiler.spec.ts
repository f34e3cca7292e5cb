import { failure } from '../testing/failure';
import { fakeDeps } from '../testing/fake-deps';
import { nativePathsIn } from '../native/native-paths';
import { runCompiler } from './run-compiler';

describe('a compiler that fails', () => {
  const failing = (stderrTail: string) => {
    const deps = fakeDeps({ clang: () => ({ exitCode: 1, stderrTail }) }, nativePathsIn('/native'));
    const command = {
      program: 'clang',
      args: [],
      cwd: '/r',
      env: {},
      limitSeconds: 1,
      variantFile: 'kernel_variant.hip',
    };
    return failure(runCompiler(command, deps));
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

  it.each([
    "kernel_variant.hip:1:10: fatal error: cannot open file 'secret.h': Permission denied",
    "kernel_variant.hip:2:3: error: use of undeclared identifier 'open_output_file'",
  ])('names its first error else: %s', async (line) => {
    expect(await failing(`${line}\n`)).toMatchObject({
      code: 'COMPILE_FAILED',
      what: `kernel_variant.hip did not compile: ${line}`,
    });
  });
});
