import { chmodSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { askDriver } from './ask-driver';
import { compilerVersion } from './find-compiler';
import type { CompileRequest } from './compile-request';
import { runDriver } from './run-driver';

let workspace: TestWorkspace;
let hipcc: string;
let clang: string;
let cache: string;
/** Output of the fake programs. */
let said: { version: string; exitCode: number; clangExitCode: number; start: string };
let before: NodeJS.ProcessEnv;

const elf = '\x7fELF';

const program = (path: string, text: string): string => {
  const absolute = workspace.write(path, text);
  chmodSync(absolute, 0o755);
  return absolute;
};

beforeEach(() => {
  before = { ...process.env };
  for (const name of ['HIP_PATH', 'ROCM_PATH', 'HIP_CLANG_PATH', 'LD_LIBRARY_PATH', 'LD_PRELOAD'])
    delete process.env[name];
  workspace = new TestWorkspace();
  hipcc = program('rocm/bin/hipcc', '#!/usr/bin/perl\nexec hipcc.pl;\n');
  program('rocm/bin/hipcc.pl', 'use hipvars;\n');
  workspace.write('rocm/bin/hipvars.pm', 'package hipvars;\n');
  clang = program('rocm/llvm/bin/clang++', `${elf}one`);
  cache = workspace.path('cache', 'kernloop', 'answers.json');
  said = { version: 'HIP version: 5', exitCode: 0, clangExitCode: 0, start: `${clang} -x hip` };
  later();
});
afterEach(() => {
  process.env = before;
  workspace.dispose();
  jest.restoreAllMocks();
});

/** Simulates that time has passed since everything was installed. */
function later(): void {
  const now = Date.now();
  jest.spyOn(Date, 'now').mockReturnValue(now + 60_000);
}

/** Simulates a new command, whose knowledge comes from the file. */
function command(env: Record<string, string> = { XDG_CACHE_HOME: workspace.path('cache') }): FakeDeps {
  return fakeDeps(
    {
      hipcc: ({ args, options, print }) => {
        if (args.includes('-###')) {
          if (options.env?.['HIPCC_VERBOSE'] === '1')
            print(`hipcc-cmd: ${said.start} ${args.join(' ').replace('###', '\\#\\#\\#')}`);
          options.onStderr?.(commandsOf('hipcc', args));
        } else print(said.version);
        return said.exitCode;
      },
      'clang++': ({ args, options }) => {
        options.onStderr?.(commandsOf('clang', args));
        return said.clangExitCode;
      },
    },
    workspace.native,
    { env },
  );
}

const commandsOf = (by: string, args: readonly string[]): string => ` "${by}" "${args.join('" "')}"\n`;

const version = (deps = command(), path = hipcc): Promise<string> => compilerVersion(path, deps);

/** Number of compiler starts by a command that needs the version. */
async function asks(path = hipcc): Promise<number> {
  const deps = command();
  await version(deps, path);
  return deps.calls.length;
}

describe('the version of hipcc', () => {
  it('is asked once by all commands', async () => {
    expect([await asks(), await asks(), await asks()]).toEqual([1, 0, 0]);
    expect(await version()).toBe('HIP version: 5');
  });

  it.each([
    ['hipcc itself', 'rocm/bin/hipcc', '#!/usr/bin/perl\nexec hipcc.px;\n'],
    ['its script', 'rocm/bin/hipcc.pl', 'use hipvarz;\n'],
    ['the clang that it starts', 'rocm/llvm/bin/clang++', `${elf}two`],
  ])('is asked again when other bytes are in %s, of the same size and time', async (_, name, text) => {
    const path = workspace.path(name);
    utimesSync(path, 1, 1);
    const { size } = statSync(path);
    await asks();
    writeFileSync(path, text);
    utimesSync(path, 1, 1);
    expect(statSync(path)).toMatchObject({ size, mtimeMs: 1000 });
    later();
    expect([await asks(), await asks()]).toEqual([1, 0]);
  });

  it.each([
    ['rocm/bin/.hipVersion'],
    ['rocm/lib/.hipInfo'],
    ['rocm/share/hip/version'],
    ['rocm/llvm/lib/libLLVM-15.so'],
    ['rocm/llvm/lib/libclang-cpp.so.15'],
    ['rocm/lib/llvm/bin/clang-15'],
    ['rocm/bin/clang'],
    ['rocm/bin/rocm_agent_enumerator'],
    ['bin/rocm_agent_enumerator'],
    ['rocm/lib/bitcode/ocml.bc'],
    ['rocm/amdgcn/bitcode/ocml.bc'],
    ['rocm/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc'],
    ['rocm/llvm/lib/clang/15.0.6/include/x.h'],
    ['rocm/llvm/lib64/libLLVM-15.so'],
  ])('is asked again when %s appears', async (name) => {
    await asks();
    workspace.write(name, `${elf}new`);
    later();
    expect([await asks(), await asks()]).toEqual([1, 0]);
  });

  it.each([
    'HIP_PATH',
    'ROCM_PATH',
    'HIP_CLANG_PATH',
    'HIP_LIB_PATH',
    'PATH',
    'PERL5LIB',
    'LD_LIBRARY_PATH',
    'LANG',
    'ANY',
  ])('is asked again for another value of %s', async (name) => {
    await asks();
    process.env[name] = workspace.path('elsewhere');
    expect([await asks(), await asks()]).toEqual([1, 0]);
  });

  it('is not asked again in another task, terminal or job', async () => {
    await asks();
    Object.assign(process.env, {
      NX_TASK_HASH: '1',
      LERNA_PACKAGE_NAME: 'k',
      NODE_OPTIONS: '--max-old-space-size=4096',
      TERM: 'x',
      SLURM_JOB_ID: '2',
      PWD: '/',
      npm_command: 'run',
    });
    expect(await asks()).toBe(0);
  });

  it('is asked again when a link of the installation leads to another one with the same files', async () => {
    renameSync(workspace.path('rocm'), workspace.path('rocm-1'));
    symlinkSync('rocm-1', workspace.path('rocm'));
    later();
    await asks();
    rmSync(workspace.path('rocm'));
    symlinkSync('rocm-1', workspace.path('rocm-2'));
    symlinkSync('rocm-2', workspace.path('rocm'));
    expect(await asks()).toBe(0);
    rmSync(workspace.path('rocm'));
    renameSync(workspace.path('rocm-1'), workspace.path('rocm-3'));
    symlinkSync('rocm-3', workspace.path('rocm'));
    expect(await asks()).toBe(1);
  });

  it.each([
    ['a wrapper in a shell', '#!/bin/sh\nexec /opt/rocm/bin/hipcc "$@"\n'],
    ['a program', '\x7fELF'],
  ])('is asked of %s every time: it may start anything', async (_, text) => {
    writeFileSync(hipcc, text);
    later();
    expect([await asks(), await asks()]).toEqual([1, 1]);
  });

  it('is asked every time where the clang that it starts is a script, or another program by that name', async () => {
    writeFileSync(clang, '#!/bin/sh\nexec /opt/llvm/bin/clang++ "$@"\n');
    later();
    expect([await asks(), await asks()]).toEqual([1, 1]);
    rmSync(clang);
    symlinkSync(program('bin/ccache', elf), clang);
    later();
    expect([await asks(), await asks()]).toEqual([1, 1]);
  });

  it('is asked every time where hipcc.bin does the work, a library is preloaded, or a folder is relative', async () => {
    for (const [name, value] of [
      ['LD_PRELOAD', '/x.so'],
      ['HIP_PATH', 'rocm'],
      ['LD_LIBRARY_PATH', '/x:'],
    ] as const) {
      process.env[name] = value;
      expect([name, await asks(), await asks()]).toEqual([name, 1, 1]);
      delete process.env[name];
    }
    workspace.write('rocm/bin/hipcc.bin', '');
    later();
    expect([await asks(), await asks()]).toEqual([1, 1]);
  });

  it('is not remembered where hipcc fails, or was installed or changed meanwhile', async () => {
    said.exitCode = 1;
    expect((await failure(version())).code).toBe('ENVIRONMENT_TOOL_MISSING');
    said.exitCode = 0;
    const deps = command();
    const run: typeof deps.run = (...given) => {
      writeFileSync(clang, `${elf}new`);
      later();
      return deps.run(...given);
    };
    await compilerVersion(hipcc, { ...deps, run });
    jest.restoreAllMocks();
    expect([await asks(), await asks()]).toEqual([1, 1]);
  });

  it('is asked anew where the cache is damaged, hostile, of somebody else, or cannot be written', async () => {
    await asks();
    const text = readFileSync(cache, 'utf8');
    const damaged = [text.slice(0, -4), '{', '[]', 'null', text.replace('["HIP version: 5"]', '"HIP version: 6"')];
    for (const content of [...damaged, text.replace('HIP version: 5', 'x'.repeat(20_000_000))]) {
      writeFileSync(cache, content);
      expect([await asks(), await asks()]).toEqual([1, 0]);
    }
    chmodSync(cache, 0o666);
    expect([await asks(), await asks()]).toEqual([1, 0]);
    rmSync(workspace.path('cache'), { recursive: true });
    workspace.write('cache', 'a file');
    expect([await asks(), await version()]).toEqual([1, 'HIP version: 5']);
  });

  it('is remembered for the user alone: nowhere without a home', async () => {
    for (const env of [{}, { XDG_CACHE_HOME: 'relative' }, { HOME: '' }] as Record<string, string>[]) {
      const two = [command(env), command(env)];
      for (const deps of two) await version(deps);
      expect(two.map(({ calls }) => calls.length)).toEqual([1, 1]);
    }
  });

  it('leaves the oldest out, of more than 256', async () => {
    await asks();
    for (let n = 0; n < 256; n += 1) {
      process.env['ANY'] = String(n);
      await asks();
    }
    expect(Object.keys(JSON.parse(readFileSync(cache, 'utf8')) as object)).toHaveLength(256);
    expect(await asks()).toBe(0);
    delete process.env['ANY'];
    expect(await asks()).toBe(1);
  });
});

describe('the clang that hipcc starts', () => {
  let words: string[];
  let output: string;
  let reproducer: string;
  let environment: Record<string, string>;
  beforeEach(() => {
    reproducer = workspace.path('k');
    output = workspace.path('k/build/v.partial-1');
    words = ['-O3', '-c'];
    environment = {};
  });

  interface Asked {
    started: string[];
    commands: string[][] | null;
  }

  async function asked(): Promise<Asked> {
    const deps = command();
    const request = { compiler: { path: hipcc, version: '' }, recipe: { environment }, reproducer, limitSeconds: 1 };
    const given = [...words, `-I${reproducer}/deps`, '-o', output, '-MF', `${output}.d`];
    const commands = await askDriver(request as unknown as CompileRequest, given, deps);
    return { started: deps.calls.map((call) => call.program), commands };
  }

  it('is asked without hipcc from the second time on, in any folder and for any output', async () => {
    const given = (): string[] => [...words, `-I${reproducer}/deps`, '-o', output, '-MF', `${output}.d`, '-###'];
    expect(await asked()).toEqual({ started: ['hipcc'], commands: [['hipcc', ...given()]] });
    output = workspace.path('k/build/v.partial-2222');
    expect(await asked()).toEqual({ started: ['clang++'], commands: [['clang', '-x', 'hip', ...given()]] });
    reproducer = workspace.path('an other');
    output = join(reproducer, 'w');
    expect(await asked()).toEqual({ started: ['clang++'], commands: [['clang', '-x', 'hip', ...given()]] });
  });

  it('is asked of hipcc again for other options, variables and sources, and another clang', async () => {
    const changes: (() => void)[] = [
      () => void (words = ['-O2', '-c']),
      () => void (words = ['-O2', '-c', '/k/a.hip']),
      () => void (words = ['-O2', '-c', '/k/a.cpp']),
      () => void (environment = { HIPCC_COMPILE_FLAGS_APPEND: '-g' }),
      () => void (process.env['ROCM_PATH'] = '/x'),
      () => (writeFileSync(clang, `${elf}other`), later()),
    ];
    await asked();
    for (const change of changes) {
      change();
      expect([change.toString(), (await asked()).started]).toEqual([change.toString(), ['hipcc']]);
      expect((await asked()).started).toEqual(['clang++']);
    }
    words = ['-O2', '-c', '/other/b.cpp'];
    expect((await asked()).started).toEqual(['clang++']);
  });

  it('says nothing where it fails, and is not remembered where hipcc does', async () => {
    said.exitCode = 1;
    expect(await asked()).toEqual({ started: ['hipcc'], commands: null });
    said.exitCode = 0;
    expect((await asked()).started).toEqual(['hipcc']);
    said.clangExitCode = 1;
    expect(await asked()).toEqual({ started: ['clang++'], commands: null });
  });

  it.each([
    ['$(clang)', '-c'],
    ['PATH=x', '-c'],
    ['', '@options'],
    ['', 'lib.a'],
    ['', '-Wl,@options'],
    ['', '--rocm-path=/x'],
    ['', '{0}'],
    ['-DX=`date`', '-c'],
    ['relative', '-c'],
  ])('is not remembered where the answer may depend on more: %j %j', async (start, word) => {
    said.start = start.startsWith('-') ? `${clang} ${start}` : `${start} ${clang}`.trim();
    if (start === 'relative') said.start = 'clang++';
    words = [word];
    expect([(await asked()).started, (await asked()).started]).toEqual([['hipcc'], ['hipcc']]);
  });

  it('is not remembered where the installation is among the paths of the command', async () => {
    said.start = `${clang} -isystem /opt/include`;
    words = ['-isystem', '/opt/include', '-c'];
    expect([(await asked()).started, (await asked()).started]).toEqual([['hipcc'], ['hipcc']]);
  });

  it('is not remembered of a path that is there twice, since another command has two in its place', async () => {
    words = ['-I/a', '-I/a'];
    expect((await asked()).started).toEqual(['hipcc']);
    words = ['-I/a', '-I/b'];
    const { commands } = await asked();
    expect(commands?.flat()).toEqual(expect.arrayContaining(words));
    words = ['-I/b', '-I/b'];
    expect((await asked()).commands?.flat().filter((word) => word === '-I/b')).toHaveLength(2);
  });

  it('is none that hipcc would not start, whatever the cache says', async () => {
    await asked();
    const other = program('evil/clang++', elf);
    writeFileSync(cache, readFileSync(cache, 'utf8').replace(clang, other));
    expect((await asked()).started).toEqual(['hipcc']);
  });

  it('is not remembered of a name of the output that hipcc took apart', async () => {
    output = workspace.path('k"k/build/v.partial-1');
    await asked();
    expect((await asked()).started).toEqual(['hipcc']);
  });

  it('is asked of hipcc every time where a folder of the PATH is relative', async () => {
    process.env['PATH'] = `bin:${process.env['PATH'] ?? ''}`;
    expect([(await asked()).started, (await asked()).started]).toEqual([['hipcc'], ['hipcc']]);
  });

  it('compiles in the place of hipcc, whose own line nobody sees', async () => {
    const run = async (file: string): Promise<{ started: string[]; out: string }> => {
      const deps = command();
      let out = '';
      const options = { env: {}, onStdout: (chunk: string) => void (out += chunk) };
      await runDriver(hipcc, ['-###', '-c', file], options, deps);
      return { started: deps.calls.map((call) => call.program), out };
    };
    expect(await run('/a/k.hip')).toEqual({ started: ['hipcc'], out: '' });
    expect(await run('/b/k.hip')).toEqual({ started: ['clang++'], out: '' });
  });
});
