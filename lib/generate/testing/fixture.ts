import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { defaultDeps, type Deps } from '../../deps/deps';

const clang = '/usr/lib/llvm-15/bin';

export interface FixtureOptions {
  /** Sources of the app by path relative to its folder. */
  sources: Record<string, string>;
  /** Compiler; hipcc by default. */
  compiler?: string;
  /** Compile commands without the compiler, by unit; `{app}` is the app's folder. Null for no compile database. */
  commands: Record<string, string> | null;
  /** Unit whose device code is "captured". */
  captured: string;
  symbol: string;
  name: string;
  slots?: { offset: number; size: number; kind: string; value?: string; region?: string }[];
  env?: Record<string, string>;
  /** Links of the app: path to target, both relative to its folder. */
  links?: Record<string, string>;
  /** Also compiles host code and extracts the device code from it, as the HIP runtime does; slower. */
  bundled?: boolean;
  /** Files outside the app by path relative to the workspace. */
  beside?: Record<string, string>;
}

export interface Fixture {
  workspace: string;
  app: string;
  reproducer: string;
}

/**
 * A workspace with an app whose kernel `k` is captured. The captured code object is the output of the app's own
 * command: the oracle for a recompile.
 */
export function fixture(options: FixtureOptions): Fixture {
  const { sources, commands, captured, symbol, name, compiler = 'hipcc', bundled = false } = options;
  const { slots = [], env = {}, links = {}, beside = {} } = options;
  const workspace = mkdtempSync(join(tmpdir(), 'kernloop generate-'));
  const app = join(workspace, 'apps', 'demo');
  write(join(workspace, 'nx.json'), '{}');
  for (const [path, text] of Object.entries(sources)) write(join(app, path), text);
  for (const [path, text] of Object.entries(beside)) write(join(workspace, path), text);
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(app, path));
  const build = join(app, 'build');
  mkdirSync(build, { recursive: true });
  if (commands) {
    const entries = Object.entries(commands).map(([file, args]) => ({
      directory: build,
      file: join(app, file),
      arguments: [compiler, ...words(args, app), '-o', `${file.replaceAll('/', '_')}.o`, '-c', join(app, file)],
    }));
    write(join(build, 'compile_commands.json'), JSON.stringify(entries));
  }
  write(
    join(app, 'kernloop.json'),
    JSON.stringify({
      name: 'demo',
      command: ['build/demo'],
      env,
      compileCommands: 'build/compile_commands.json',
      kernels: [{ name: 'k', match: name.split('(')[0] }],
    }),
  );
  const reproducer = join(workspace, 'kernels', 'demo', 'k');
  const args = words(commands?.[captured] ?? '--offload-arch=gfx90a', app);
  const codeObject = compileAsApp({ compiler, app, build, file: captured, args, env, bundled });
  write(join(reproducer, 'capture', 'capture.json'), JSON.stringify(captureJson(codeObject, symbol, name, slots)));
  return { workspace, app, reproducer };
}

interface AppCompilation {
  compiler: string;
  app: string;
  build: string;
  file: string;
  args: string[];
  env: Record<string, string>;
  bundled: boolean;
}

function compileAsApp({ compiler, app, build, file, args, env, bundled }: AppCompilation): Buffer {
  const object = join(build, 'captured.o');
  const run = (program: string, programArgs: string[]): void => {
    execFileSync(program, programArgs, {
      cwd: build,
      env: { ...process.env, HIP_PLATFORM: 'amd', ...env },
      stdio: 'pipe',
    });
  };
  if (!bundled) {
    const device = ['--cuda-device-only', '--no-gpu-bundle-output', '--no-offload-arch=gfx1030'];
    run(compiler, [...args, ...device, '-c', join(app, file), '-o', `${object}.hsaco`]);
    return readFileSync(`${object}.hsaco`);
  }
  run(compiler, [...args, '-c', join(app, file), '-o', object]);
  const section = ['--only-section=.hip_fatbin', '--set-section-flags', '.hip_fatbin=alloc'];
  run('objcopy', ['-O', 'binary', ...section, object, `${object}.bundle`]);
  const target = '--targets=hipv4-amdgcn-amd-amdhsa--gfx90a';
  const files = [`--input=${object}.bundle`, `--output=${object}.hsaco`];
  run(join(clang, 'clang-offload-bundler'), ['--unbundle', '--type=o', target, ...files]);
  return readFileSync(`${object}.hsaco`);
}

function captureJson(codeObject: Buffer, symbol: string, name: string, slots: FixtureOptions['slots']): unknown {
  const sha256 = createHash('sha256').update(codeObject).digest('hex');
  return {
    schema: 'kernloop.capture/1',
    app: { name: 'demo' },
    device: { kind: 'softgpu', identity: 'softgpu-gfx90a-1', isa: 'amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-' },
    kernel: { name, symbol, code_object: sha256 },
    dispatch: { ordinal: 1, index: 3 },
    geometry: { grid_blocks: [4, 1, 1], block_threads: [256, 1, 1] },
    kernarg: { hex: '', slots },
    scope: { mode: 'reachable', tracked_regions: 12, tracked_bytes: 1073741824 },
    regions: [{ id: 'r0', base: '0x400000001000', size: 4096, pre: { chunks: [null] }, post: { chunks: [null] } }],
    code_objects: [{ sha256, content: { chunks: [null] } }],
    execution: { wave_instructions: 12345 },
  };
}

/** Deps with real processes that record reports. */
export function recordingDeps(overrides: Partial<Deps> = {}): { deps: Deps; reported: string[] } {
  const reported: string[] = [];
  const add = (line: string): void => void reported.push(line);
  return { deps: defaultDeps({ report: { info: add, warn: add, output: add, result: add }, ...overrides }), reported };
}

export function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function words(args: string, app: string): string[] {
  return args
    .split(' ')
    .map((word) => word.replace('{app}', app))
    .filter((word) => word !== '');
}

/** Paths of all files below a folder, sorted. */
export function filesBelow(folder: string): string[] {
  const out = execFileSync('find', [folder, '-type', 'f'], { encoding: 'utf8' });
  return out
    .split('\n')
    .filter(Boolean)
    .map((path) => relative(folder, path))
    .sort();
}
