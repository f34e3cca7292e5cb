import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { openApp, type App } from '../app/app';
import { appsIn } from '../app/apps-in';
import { captureFile } from '../archive/capture-files';
import type { Deps } from '../deps/deps';
import { openReproducer } from '../reproducer/reproducer';
import { reproducersIn } from '../reproducer/reproducers-in';
import { KernloopError } from '../support/error';
import { fieldOf, jsonReader } from '../support/lenient-json';
import { kernelFile, kernloopFile } from '../support/project-file-names';
import { table } from '../support/report';
import { findWorkspaceRoot } from '../support/workspace-root';
import { lastVerdict } from './last-verdict';
import type { KernelsOptions } from './options';
import type { KernelsResult, ListedApp, ListedKernel } from './result';

/** Lists apps, their kernels and the verdicts on these. What cannot be read is in the list, with the reason. */
export function kernels(options: KernelsOptions, deps: Deps): KernelsResult {
  const folder = resolve(options.workspace);
  if (!existsSync(folder)) throw new KernloopError('USAGE', `${folder} does not exist`, 'name the folder of a workspace');
  const workspace = findWorkspaceRoot(folder);
  const { folders, isCut } = appsIn(workspace);
  const listed = folders.map((root) => listedApp(workspace, root));
  const known = new Set(listed.flatMap((app) => app.kernels.map(({ reproducer }) => reproducer)));
  const others = reproducersIn(workspace).filter((root) => !known.has(relative(workspace, root)));
  const result = { workspace, apps: [...listed, ...appsElsewhere(workspace, others)], complete: !isCut };
  print(result, deps);
  return result;
}

function listedApp(workspace: string, root: string): ListedApp {
  const folder = relative(workspace, root) || '.';
  const [app, problem] = orProblem(() => openApp(root));
  if (app === null) return { name: null, folder, device: null, profiled: false, kernels: [], problem };
  const { name, device = 'softgpu', kernels } = app.config;
  const declared = kernels.map(({ name: kernel, match }) => listedKernel(workspace, app.reproducer(kernel), match));
  const left = reproducersOf(app).filter((at) => !kernels.some((kernel) => kernel.name === basename(at)));
  return {
    name,
    folder,
    device,
    profiled: existsSync(app.profile),
    kernels: [...declared, ...left.map((at) => listedKernel(workspace, at, null))],
    problem: null,
  };
}

const reproducersOf = ({ workspaceRoot, config }: App): string[] =>
  reproducersIn(workspaceRoot).filter((root) => appOf(root) === config.name);

/** Name of a reproducer's app, which says more than its folder: that may have been moved. */
function appOf(root: string): string {
  const name = fieldOf(fieldOf(jsonReader()(join(root, kernelFile)), 'app'), 'name');
  return typeof name === 'string' ? name : basename(dirname(root));
}

/** Reproducers of apps that are not in this workspace, as one that was unpacked. */
function appsElsewhere(workspace: string, reproducers: readonly string[]): ListedApp[] {
  const names = [...new Set(reproducers.map(appOf))];
  return names.map((name) => ({
    name,
    folder: null,
    device: null,
    profiled: false,
    kernels: reproducers
      .filter((root) => appOf(root) === name)
      .map((root) => listedKernel(workspace, root, null)),
    problem: null,
  }));
}

function listedKernel(workspace: string, root: string, match: string | null): ListedKernel {
  const isThere = existsSync(join(root, kernelFile));
  const [verdict, problem] = isThere ? orProblem(() => lastVerdict(openReproducer(root))) : [null, null];
  return {
    name: basename(root),
    match,
    reproducer: isThere ? relative(workspace, root) : null,
    captured: existsSync(captureFile(join(root, 'capture'))),
    verdict,
    problem,
  };
}

function orProblem<T>(read: () => T): [T, null] | [null, string] {
  try {
    return [read(), null];
  } catch (error) {
    if (error instanceof KernloopError) return [null, error.what];
    throw error;
  }
}

function print({ workspace, apps, complete }: KernelsResult, deps: Deps): void {
  const rows = apps.flatMap((app) => rowsOf(app));
  if (rows.length === 0) {
    deps.report.result(
      `${workspace} has no app: a ${kernloopFile} declares one. Next, for a program: kernloop init -- ./demo args`,
    );
  } else {
    for (const line of table([['app', 'folder', 'kernel', 'reproducer', 'last verdict'], ...rows])) deps.report.result(line);
  }
  if (!complete) deps.report.warn('the workspace has more folders than were looked into: name one of them');
}

function rowsOf({ name, folder, kernels, problem }: ListedApp): string[][] {
  const app = [name ?? '-', folder ?? 'not here'];
  if (problem !== null) return [[...app, '-', '-', problem]];
  if (kernels.length === 0) return [[...app, 'none declared', '-', '-']];
  return kernels.map((kernel) => [
    ...app,
    kernel.match === null && folder !== null ? `${kernel.name} (not declared)` : kernel.name,
    kernel.reproducer ?? 'not extracted',
    verdictText(kernel),
  ]);
}

function verdictText({ verdict, problem, reproducer, captured }: ListedKernel): string {
  if (problem !== null) return problem;
  if (verdict === null) return reproducer !== null && !captured ? 'none; no capture here' : 'none';
  const code = verdict.code === 'captured' ? ' (captured code)' : '';
  const doubts = verdict.doubts === null ? '' : `, ${verdict.doubts}`;
  return `${verdict.verdict}${code}${doubts}${verdict.changed === null ? '' : `; since then: ${verdict.changed}`}`;
}
