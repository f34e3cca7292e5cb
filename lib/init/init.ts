import { existsSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { deviceOf, softgpuOptions } from '../app/command-app';
import { describeApp, kernelsNamed } from '../app/describe-app';
import { withOutputsIgnored } from '../app/ignored-outputs';
import { kernloopJsonSchema } from '../app/kernloop-json';
import { refuseTwin } from '../app/refuse-twin';
import { filesOnDisk } from '../app/workspace-files';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { writeFileAtomic, writeJson } from '../support/files';
import { kernloopFile } from '../support/project-file-names';
import { parseJson, readJson } from '../support/schema';
import { findWorkspaceRoot } from '../support/workspace-root';
import type { InitOptions } from './options';
import type { InitResult } from './result';

/** Declares an app as `nx g kernloop:app` does, without Nx. Running it again changes nothing. */
export async function init(options: InitOptions, deps: Deps): Promise<InitResult> {
  const root = resolve(options.app);
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new KernloopError(
      'USAGE',
      `${root} is no folder`,
      'name the folder of the app, and its program after --: `kernloop init FOLDER -- ./demo args`',
    );
  }
  const file = join(root, kernloopFile);
  const written = !existsSync(file);
  if (written) writeJson(file, await describe(root, options, deps));
  const config = readJson(file, kernloopJsonSchema, 'CONFIG_MISSING', `write ${kernloopFile}`);
  const shown = relative(process.cwd(), file);
  deps.report.result(
    written
      ? `${shown} declares ${config.name}, which runs ${config.command.join(' ')} on ${config.device ?? 'softgpu'}`
      : `${shown} is there already and stays as it is`,
  );
  ignoreOutputs(findWorkspaceRoot(root), deps);
  const app = root === process.cwd() ? '' : ` --app ${relative(process.cwd(), root)}`;
  deps.report.result(
    config.kernels.length > 0
      ? `Next, make its kernels projects: kernloop extract${app}`
      : `Next, see what it launches: kernloop profile${app}; then name what matters under "kernels" of ${shown}, and: kernloop extract${app}`,
  );
  return { file, written, config };
}

async function describe(root: string, options: InitOptions, deps: Deps): Promise<object> {
  const workspace = findWorkspaceRoot(root);
  const described = await describeApp(
    filesOnDisk(workspace),
    relative(workspace, root) || '.',
    { ...options, kernels: kernelsNamed(options.kernel) },
    {
      report: deps.report,
      watchBuild: `kernloop watch-build --app ${relative(process.cwd(), root) || '.'}`,
      help: 'see kernloop init --help',
      isInstalled: false,
    },
  );
  const { command, name } = parseJson(kernloopFile, JSON.stringify(described), kernloopJsonSchema);
  refuseTwin(workspace, root, name);
  if (options.device !== undefined) return described;
  const { device, softgpu, because } = deviceOf({ app: root, command }, deps.env);
  deps.report.info(`device: ${device} (${because})`);
  const more = softgpuOptions(softgpu);
  return { ...described, device, ...(Object.keys(more).length === 0 ? {} : { options: more }) };
}

function ignoreOutputs(workspace: string, deps: Deps): void {
  const { text, added } = withOutputsIgnored(filesOnDisk(workspace).read('.gitignore', 'utf-8'), []);
  if (added === 0) return;
  writeFileAtomic(join(workspace, '.gitignore'), text);
  deps.report.info(`.gitignore: ${added} lines for what stages write`);
}
