import { openReproducer } from '../../../lib/reproducer/reproducer';
import { chmodSync, cpSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { compileConditions } from '../../../lib/recompile/current-variant';
import { readingConditions } from '../../../lib/reproducer/reads-json';
import { sha256OfFile } from '../../../lib/support/files';
import { installFakes, writeRecipe } from '../../../lib/pgo/testing/fake-llvm';
import { captureJson, kernelJson, TestWorkspace, writeReproducer, writeVariant } from '../../../lib/testing/workspace';
import { toolchainIdentity } from '../../../lib/toolchain/identity';
import { nxCommand, type TaskHashes } from './nx-hashes';
import { Snapshot } from './snapshot';

export const root = 'kernels/app/saxpy';

let time = 1e9;
const copying = { recursive: true, preserveTimestamps: true };

/**
 * An app with two kernels, `saxpy` and `sum`, and a reproducer `gone-moved` whose app is elsewhere, with the results of
 * every stage. The sources of the kernels are in the workspace, in a folder that git ignores, and outside.
 */
export class HashedWorkspace extends TestWorkspace {
  /** A folder outside the workspace. */
  readonly outside = `${this.root}-outside`;
  private readonly atFirst: Snapshot;
  /** Words and variables of the command. */
  argv: readonly string[] = [];
  env: Readonly<Record<string, string>> = {};

  constructor() {
    super({
      build: { command: ['make'], outputs: ['build'] },
      command: ['python3', 'run.py', 'build/probe'],
      stdin: 'input.inc',
      compileCommands: 'build/compile_commands.json',
      kernels: ['saxpy', 'sum'].map((name) => ({ name, match: name })),
    });
    this.write('nx.json', { plugins: [require.resolve('../plugin')] });
    this.write('package.json', { name: 'workspace' });
    this.write('.gitignore', '.nx\n.kernloop\nbuild\ncapture\nprivate\n*.inc\n*.co\n');
    installFakes(this);
    this.writePrograms();
    this.startAnew();
    this.writeApp();
    this.writeKernels();
    this.atFirst = new Snapshot([this.root, this.outside], this.path('.nx'));
  }

  /** Restores the initial state. The folder stays, because Nx knows only one per process. */
  restore(): void {
    this.startAnew();
    this.atFirst.restore((path, content) => this.write(path, content));
  }

  private startAnew(): void {
    this.argv = [];
    this.env = {
      PATH: this.path('bin'),
      LD_LIBRARY_PATH: this.path('hip'),
      KERNLOOP_LLVM: this.path('llvm'),
      KERNLOOP_NATIVE_DIR: this.native.root,
      // Cached, so that installed files of this machine are hashed once.
      XDG_CACHE_HOME: this.path('.nx/cache'),
    };
  }

  override dispose(): void {
    super.dispose();
    rmSync(this.outside, { recursive: true, force: true });
  }

  /** Sets a new whole second as the time: fractions could not be restored. */
  override write(path: string, content: string | object): string {
    const absolute = super.write(path, content);
    utimesSync(absolute, ++time, time);
    return absolute;
  }

  edit(path: string, change: (json: Record<string, unknown>) => object): void {
    this.write(path, change(JSON.parse(this.read(path)) as Record<string, unknown>));
  }

  /** Changes the content of a file, but not its size and time. */
  disguise(path: string, change: (text: string) => string = (text) => `x${text.slice(1)}`): void {
    const absolute = resolve(this.root, path);
    const { atime, mtime, size } = statSync(absolute);
    const before = readFileSync(absolute, 'utf8');
    const after = change(before);
    if (after === before || after.length !== size) throw new Error(`${path}: not another content of the same size`);
    writeFileSync(absolute, after);
    utimesSync(absolute, atime, mtime);
  }

  /** Simulates an Nx command up to its cache lookups: see `nxCommand`. */
  async command(): ReturnType<typeof nxCommand> {
    process.env = { ...this.env };
    return nxCommand(this.root, this.argv);
  }

  async hashes(): Promise<TaskHashes> {
    return (await this.command())();
  }

  private writePrograms(): void {
    for (const name of ['hipcc', 'python3']) chmodSync(this.write(`bin/${name}`, '#!/bin/false\n'), 0o755);
    this.write('hip/libamdhip64.so', 'runtime');
    this.write('outside.h', '#define NEAR 1\n');
    for (const name of ['far.h', 'system.h']) this.write(join(this.outside, name), `#define ${name[0]} 1\n`);
  }

  private writeApp(): void {
    for (const path of ['run.py', 'input.inc', 'build/probe', 'build/libapp.so'])
      this.write(`app/${path}`, `${path}\n`);
    for (const path of ['program', 'compile-commands', 'profile']) this.write(`app/.kernloop/${path}.json`, {});
    this.writeProfiles('app/.kernloop/pgo');
  }

  private writeProfiles(folder: string): void {
    for (const name of ['instrumented/code', 'raw/profraw', 'merged.profdata']) this.write(`${folder}/${name}`, name);
  }

  private writeKernels(): void {
    writeReproducer(this);
    writeRecipe(this);
    for (const name of ['README.md', 'report.json']) this.write(`${root}/${name}`, '{}');
    this.write(`${root}/deps/ignored.inc`, '#define IGNORED 1\n');
    for (const name of ['deps', 'kernel.json'])
      cpSync(this.path(root, name), this.path(root, 'pristine', name), copying);
    this.write(`${root}/captures/1/capture.json`, captureJson());
    this.write(`${root}/captures/1/chunks.pack`, 'pack');
    this.writeProfiles(`${root}/pgo`);
    this.writeReads();
    writeVariant(this);
    this.edit(`${root}/build/variant.json`, (json) => ({ ...json, ...this.whatWasRead(true) }));
    for (const [place, name, app] of [
      ['kernels/app/sum', 'sum', 'app'],
      ['kernels/gone/moved', 'moved', 'gone'],
    ] as const) {
      cpSync(this.path(root), this.path(place), copying);
      this.write(`${place}/kernel.json`, kernelJson({ name, app: { name: app, root: app } }));
    }
  }

  private writeReads(): void {
    const { recipe_sha256, sources, system } = this.whatWasRead(false);
    const conditions_sha256 = readingConditions(toolchainIdentity(this.env));
    const reads = { schema: 'kernloop.reads/1', version: '1.0.0', conditions_sha256, recipe_sha256, sources, system };
    this.write(`${root}/pristine/reads.json`, reads);
  }

  /** A record like recompile's. */
  private whatWasRead(hasOutside: boolean) {
    const digest = (path: string): [string, string] => [path, sha256OfFile(this.path(root, path))];
    const absolute = (path: string): [string, string] => [path, sha256OfFile(path)];
    const { outside } = this;
    return {
      sources: Object.fromEntries(['kernel_variant.hip', 'deps/ignored.inc'].map(digest)),
      outside: Object.fromEntries(hasOutside ? [digest('../../../outside.h'), absolute(join(outside, 'far.h'))] : []),
      system: Object.fromEntries([absolute(join(outside, 'system.h'))]),
      recipe_sha256: sha256OfFile(this.path(root, 'pristine/recipe.json')),
      conditions_sha256: compileConditions(openReproducer(this.path(root)), {}, this.env),
    };
  }
}
