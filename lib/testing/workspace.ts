import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sealed } from '../archive/selfcheck-seal';
import { sha256OfFile } from '../support/files';
import { nativePathsIn, type NativePaths } from '../native/native-paths';

/** A workspace on disk with one app and a native build of empty files; `dispose` removes it. */
export class TestWorkspace {
  readonly root = mkdtempSync(join(tmpdir(), 'kernloop-spec-'));
  readonly app = join(this.root, 'app');
  readonly native: NativePaths = nativePathsIn(join(this.root, 'native'));

  constructor(kernloopJson: object = {}) {
    this.write('nx.json', {});
    this.write('app/kernloop.json', {
      name: 'app',
      command: ['./program'],
      kernels: [{ name: 'saxpy', match: '^saxpy\\(' }],
      ...kernloopJson,
    });
    this.write('app/program', '#!/bin/sh\n');
    chmodSync(join(this.app, 'program'), 0o755);
    const { recorder, replay, archive, pgo, pgoHip, trace, agentHsa, agentCuda, softgpu, hipErrors } = this.native;
    const { pgoRuntime, pgoRuntimeCuda, pgoRuntimeBuilder, watch, sandbox } = this.native;
    for (const path of [recorder, replay, archive, pgo, pgoHip, pgoRuntime, pgoRuntimeCuda, pgoRuntimeBuilder, trace])
      this.write(path, path);
    for (const path of [agentHsa, agentCuda, softgpu, hipErrors, watch, sandbox]) this.write(path, path);
  }

  path(...parts: string[]): string {
    return join(this.root, ...parts);
  }

  write(path: string, content: string | object): string {
    const absolute = path.startsWith('/') ? path : this.path(path);
    mkdirSync(dirname(absolute), { recursive: true });
    writeFileSync(absolute, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
    return absolute;
  }

  writeBytes(path: string, content: Buffer | string): string {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    writeFileSync(this.path(path), content);
    return this.path(path);
  }

  read(path: string): string {
    return readFileSync(this.path(path), 'utf8');
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export const someDigest = 'a'.repeat(64);

/** A small, complete capture.json. */
export function captureJson(overrides: object = {}): object {
  return {
    schema: 'kernloop.capture/1',
    app: { name: 'app', files: [] },
    device: { kind: 'softgpu', identity: 'softgpu-gfx90a-1', isa: 'amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-' },
    kernel: { name: 'saxpy(float*, float)', symbol: '_Z5saxpyPff', code_object: someDigest },
    dispatch: { ordinal: 1, index: 0, queue: 0 },
    geometry: { grid_blocks: [4, 1, 1], block_threads: [256, 1, 1] },
    scope: { mode: 'reachable', widened: false, tracked_regions: 2, tracked_bytes: 8192 },
    regions: [
      { id: 'r0', base: '0x400000000000', size: 4096, pre: { chunks: [someDigest] }, post: { chunks: [someDigest] } },
    ],
    module_variables: [],
    code_objects: [{ sha256: someDigest, content: { chunks: [someDigest] } }],
    execution: { wave_instructions: 1000 },
    ...overrides,
  };
}

/** A kernel.json that matches `captureJson`. */
export function kernelJson(overrides: object = {}): object {
  return {
    name: 'saxpy',
    app: { name: 'app', root: 'app' },
    symbol: '_Z5saxpyPff',
    demangled: 'saxpy(float*, float)',
    code_object: someDigest,
    device: { kind: 'softgpu', isa: 'amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-' },
    selection: { match: '^saxpy', ordinal: 1, scope: 'reachable' },
    language: 'hip',
    source: { file: 'app/saxpy.hip', line: 1, translation_unit: 'app/saxpy.hip', variant: 'kernel_variant.hip' },
    args: [],
    ...overrides,
  };
}

/** Self-check on softgpu of the capture in `capture`, the path of a capture.json. */
export const verifiedSelfcheck = (capture: string): object => ({
  schema: 'kernloop.selfcheck/1',
  capture_sha256: sha256OfFile(capture),
  device: { kind: 'softgpu', identity: 'softgpu-gfx90a-1' },
  verdict: 'verified',
  reason: null,
  replays: 4,
  poison_patterns: ['0xa5', '0x5a'],
  varying: [],
});

/** Writes a reproducer with a verified capture in its own pack and an untouched variant. */
export function writeReproducer(workspace: TestWorkspace, kernel: object = {}, selfcheck: object = {}): string {
  const root = 'kernels/app/saxpy';
  workspace.write(`${root}/kernel.json`, kernelJson(kernel));
  for (const folder of [root, `${root}/pristine`])
    workspace.write(`${folder}/kernel_variant.hip`, '__global__ void saxpy() {}\n');
  const capture = workspace.write(`${root}/capture/capture.json`, captureJson());
  workspace.write(`${root}/capture/chunks.pack`, 'KLPACK1\n');
  workspace.write(`${root}/capture/selfcheck.json`, sealed({ ...verifiedSelfcheck(capture), ...selfcheck }));
  return workspace.path(root);
}

/**
 * Writes another capture into the reproducer of `writeReproducer`, and its symbol and device into kernel.json; returns
 * the path of capture.json.
 */
export function writeCapture(workspace: TestWorkspace, overrides: object): string {
  const { device, kernel } = captureJson(overrides) as {
    device: { kind: string; isa: string };
    kernel: { symbol: string };
  };
  const current = JSON.parse(workspace.read('kernels/app/saxpy/kernel.json')) as object;
  const facts = { symbol: kernel.symbol, device: { kind: device.kind, isa: device.isa } };
  workspace.write('kernels/app/saxpy/kernel.json', { ...current, ...facts });
  return workspace.write('kernels/app/saxpy/capture/capture.json', captureJson(overrides));
}

/** Writes the files that recompile leaves. */
export function writeVariant(workspace: TestWorkspace, beside: object = {}): string {
  const root = 'kernels/app/saxpy';
  const codeObject = workspace.write(`${root}/build/variant.hsaco`, 'code object');
  workspace.write(`${root}/build/variant.json`, {
    schema: 'kernloop.variant/1',
    code_object: 'variant.hsaco',
    code_object_sha256: sha256OfFile(codeObject),
    symbol: '_Z5saxpyfPKfPfi',
    compiler: { name: 'hipcc', version: '15' },
    target: 'gfx90a',
    recipe_sha256: '0'.repeat(64),
    sources: { 'kernel_variant.hip': sha256OfFile(workspace.path(root, 'kernel_variant.hip')) },
    ...beside,
  });
  return codeObject;
}

/** A workspace with a reproducer, created for each test of the `describe` that calls this, and removed after it. */
export function reproducerForEachTest(selfcheck: object = {}): {
  readonly workspace: TestWorkspace;
  readonly reproducer: string;
} {
  const made = {} as { workspace: TestWorkspace; reproducer: string };
  beforeEach(() => {
    made.workspace = new TestWorkspace();
    made.reproducer = writeReproducer(made.workspace, {}, selfcheck);
  });
  afterEach(() => made.workspace.dispose());
  return made;
}
