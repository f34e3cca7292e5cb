import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultDeps } from '../deps/deps';
import { hipDialect } from '../toolchain/dialect-hip';
import { failure } from '../testing/failure';
import { scanDependencies } from './dependencies';

jest.setTimeout(60_000);

/** The driver of clang 22 drops -M for device code, so every compiler installed for the tests is checked. */
describe('the files that a unit opens', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kernloop-scan-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each(['hipcc', '/usr/lib/llvm-15/bin/clang++', '/usr/bin/clang++-22'])('%s', async (compiler) => {
    const file = join(folder, 'k.hip');
    writeFileSync(file, '#include "a b.h"\n__attribute__((global)) void k() { if (VALUE) {} }\n');
    writeFileSync(
      join(folder, 'a b.h'),
      '#ifdef __HIP_DEVICE_COMPILE__\n#include "device.h"\n#else\n#include "host.h"\n#endif\n',
    );
    writeFileSync(join(folder, 'device.h'), '#define VALUE 1\n');
    writeFileSync(join(folder, 'host.h'), '#define VALUE 2\n');
    const args = ['-x', 'hip', '-nogpulib', '-nogpuinc', '--offload-arch=gfx90a', '-c', 'k.hip', '-o', 'k.o'];
    const unit = hipDialect.read({ directory: folder, file, compiler, args, output: join(folder, 'k.o') }, {});
    if (!unit) throw new Error('no unit');
    const deps = defaultDeps({ signal: new AbortController().signal });
    const scanned = await scanDependencies(unit, compiler, 'gfx90a', {}, deps);
    expect(scanned.failure).toBeNull();
    const own = scanned.files.map(({ spelled }) => spelled).filter((path) => path.startsWith(folder));
    expect(own.map((path) => path.slice(folder.length + 1)).sort()).toEqual(['a b.h', 'device.h', 'k.hip']);
  });

  // A source that counts as unreadable leads to a reproducer without source, which would replace one that has it.
  it('are unknown on a full disk, which is no fault of the source', async () => {
    const compiler = join(folder, 'clang++');
    const said = 'fatal error: error in backend: IO failure on output stream: No space left on device';
    writeFileSync(compiler, `#!/bin/sh\necho '${said}' >&2\nexit 1\n`, { mode: 0o755 });
    const file = join(folder, 'k.hip');
    const args = ['-x', 'hip', '-c', 'k.hip'];
    const unit = hipDialect.read({ directory: folder, file, compiler, args, output: join(folder, 'k.o') }, {});
    if (!unit) throw new Error('no unit');
    const deps = defaultDeps({ signal: new AbortController().signal });
    const error = await failure(scanDependencies(unit, compiler, 'gfx90a', {}, deps));
    expect([error.code, error.exitCode]).toEqual(['FILE_UNWRITABLE', 5]);
    expect(error.what).toContain(`${file} was not read: the compiler cannot write: ${said}`);
  });
});
