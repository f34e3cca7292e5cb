import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { globAsync, readJson, type Tree } from 'nx/src/devkit-exports';
import { runProcess, type ProcessRunner } from '../../lib/support/exec';
import { KernloopError } from '../../lib/support/error';
import { kernloopFile } from '../../lib/support/project-file-names';

/** Two apps of one name would be the same Nx project, and Nx could no longer list any project. */
export async function refuseTwin(tree: Tree, directory: string, name: string): Promise<void> {
  const files = await globAsync(tree, [`**/${kernloopFile}`]);
  const twin = files.find((file) => dirname(file) !== directory && nameIn(tree, file) === name);
  if (twin === undefined) return;
  throw new KernloopError(
    'APP_CONFLICT',
    `${twin} is an app called "${name}", too`,
    `give this one another name, e.g. --name=${name}-2`,
  );
}

function nameIn(tree: Tree, file: string): unknown {
  try {
    return readJson<{ name?: unknown }>(tree, file).name;
  } catch {
    // A broken file is reported when it is itself read.
    return undefined;
  }
}

/** Asks Nx in a new process, which has no state of the writing one, whether the app is a project now. */
export async function expectProject(
  root: string,
  name: string,
  directory: string,
  run: ProcessRunner = runProcess,
): Promise<void> {
  const lines: string[] = [];
  const nx = nxProgram();
  const { exitCode, stderrTail, stdoutTail } = await run(process.execPath, [nx, 'show', 'project', name, '--json'], {
    cwd: root,
    env: { NX_DAEMON: 'false', NX_TUI: 'false', NX_INTERACTIVE: 'false', FORCE_COLOR: '0' },
    onStdoutLine: (line) => lines.push(line),
  }).result;
  const shown = exitCode === 0 ? rootIn(lines) : undefined;
  if (shown === directory) return;
  const file = join(directory, kernloopFile);
  if (shown !== undefined) {
    throw new KernloopError(
      'APP_CONFLICT',
      `the Nx project "${name}" is that of the folder ${shown}, not of ${directory}`,
      `change "name" in ${file}`,
    );
  }
  throw new KernloopError(
    'CONFIG_MISSING',
    `${file} is written, but Nx shows no project "${name}"`,
    `see whether git or .nxignore ignores ${directory}, or a plugin's "include" and "exclude" in nx.json leave it out; Nx says:\n${(stderrTail || stdoutTail).trim()}`,
  );
}

function nxProgram(): string {
  const manifest = createRequire(__filename).resolve('nx/package.json');
  const { bin } = createRequire(__filename)(manifest) as { bin: { nx: string } };
  return join(dirname(manifest), bin.nx);
}

function rootIn(lines: readonly string[]): string | undefined {
  const document = lines.find((line) => line.startsWith('{'));
  if (document === undefined) return undefined;
  const { root } = JSON.parse(lines.slice(lines.indexOf(document)).join('\n')) as { root?: string };
  return root;
}
