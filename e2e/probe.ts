import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { nativeDirectory, repository, run, type Workspace } from './harness';

export interface ProbeKernel {
  name: string;
  match: string;
  ordinal?: number;
  dispatch?: string;
  each?: 'dispatch' | 'geometry' | 'kernel';
  after?: string;
  scope?: 'reachable' | 'all';
}

const buildDirectory = join(repository, '.kernloop', 'e2e', 'probe');
let built: Promise<string> | undefined;

/** Builds e2e/fixtures/probe once per test run and returns the path of the program. */
export function probeProgram(): Promise<string> {
  built ??= build();
  return built;
}

async function build(): Promise<string> {
  const source = join(repository, 'e2e', 'fixtures', 'probe');
  mkdirSync(buildDirectory, { recursive: true });
  // Other test files of the run may build it at the same time.
  const outcome = await run(
    'flock',
    [`${buildDirectory}.lock`, 'sh', '-c', 'cmake -S "$0" -B "$1" && cmake --build "$1"', source, buildDirectory],
    { env: { HIP_PLATFORM: 'amd' } },
  );
  if (outcome.code !== 0) throw new Error(`the probe was not built:\n${outcome.text}`);
  return join(buildDirectory, 'probe');
}

/** Adds an app that runs one mode of the probe. The program is shared; each app has its own kernloop.json. */
export async function addProbeApp(
  workspace: Workspace,
  name: string,
  mode: readonly string[],
  kernels: readonly ProbeKernel[],
): Promise<string> {
  const program = await probeProgram();
  workspace.write(`apps/${name}/kernloop.json`, {
    name,
    device: 'softgpu',
    command: [program, ...mode],
    env: { HIP_PLATFORM: 'amd' },
    source: join(repository, 'e2e', 'fixtures', 'probe'),
    compileCommands: join(buildDirectory, 'compile_commands.json'),
    kernels,
  });
  return `apps/${name}`;
}

export interface CaptureJson {
  kernel: { name: string; symbol: string };
  dispatch: { ordinal: number; index: number };
  geometry: { grid_blocks: number[]; block_threads: number[] };
  scope: { mode: string; widened: boolean; tracked_regions: number; tracked_bytes: number };
  regions: { id: string; base: string; size: number; pre: Content; post: Content }[];
  code_objects: { load_base: string }[];
  module_variables: { name: string; size: number }[];
  execution: { wave_instructions: number };
}

interface Content {
  chunks: (string | null)[];
}

export interface SelfcheckJson {
  verdict: string;
  reason: string | null;
  varying: { region: string; dtype: string; count: number; min: number[]; max: number[] }[];
}

export const capturedBytes = (capture: CaptureJson): number =>
  capture.regions.reduce((sum, region) => sum + region.size, 0);

/** Runs kernloop-replay itself and returns its NDJSON events. */
export async function replayEvents(
  capture: string,
  args: readonly string[] = [],
): Promise<{ code: number; events: Record<string, unknown>[] }> {
  const outcome = await run(join(nativeDirectory, 'bin', 'kernloop-replay'), ['--capture', capture, ...args]);
  const events = outcome.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { code: outcome.code, events };
}
