import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { buildWords } from '../app/command';
import { deviceOf, softgpuOptions } from '../app/command-app';
import { rewriteKernloopJson } from '../app/declare-kernel';
import { describeApp, kernelsNamed } from '../app/describe-app';
import { withBuildIgnored, withOutputsIgnored } from '../app/ignored-outputs';
import { kernloopJsonSchema, type KernloopJson } from '../app/kernloop-json';
import { refuseTwin } from '../app/refuse-twin';
import { filesOnDisk } from '../app/workspace-files';
import type { Deps } from '../deps/deps';
import { editJsonText } from '../support/edit-json';
import { KernloopError } from '../support/error';
import { jsonText, writeFileAtomic } from '../support/files';
import { kernloopFile } from '../support/project-file-names';
import { parseJson, readJson } from '../support/schema';
import { findWorkspaceRoot } from '../support/workspace-root';
import type { InitOptions } from './options';
import type { InitResult } from './result';

/**
 * Declares an app as `nx g kernloop:app` does, without Nx. Running it again changes nothing but a device that is not
 * declared, because the program was not built.
 */
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
  const described = existsSync(file) ? undefined : jsonText(await describe(root, options, deps));
  let isThere = false;
  const written = await rewriteKernloopJson(file, deps, () => {
    // Another command may have written the file since it was described.
    isThere = existsSync(file);
    return isThere ? withDevice(file, root, options, deps) : described;
  });
  const config = readJson(file, kernloopJsonSchema, 'CONFIG_MISSING', `write ${kernloopFile}`);
  const shown = relative(process.cwd(), file);
  deps.report.result(
    written
      ? `${shown} declares ${config.name}, which runs ${config.command.join(' ')} on ${config.device ?? 'softgpu'}`
      : `${shown} is there already and stays as it is`,
  );
  ignoreOutputs(findWorkspaceRoot(root), root, isThere ? [] : (config.build?.outputs ?? []), deps);
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
  const { command, name, build } = parseJson(kernloopFile, JSON.stringify(described), kernloopJsonSchema);
  refuseTwin(workspace, root, name);
  if (options.device !== undefined) return described;
  if (build && !isBuilt(root, command)) {
    deps.report.info(
      `device: not known, as ${command[0] ?? name} is not built yet: build it once with ${buildWords(build)}, in ${relative(process.cwd(), root) || '.'}, and run \`kernloop init\` again; until then it is softgpu`,
    );
    const { device: _device, ...withoutDevice } = described as { device?: unknown };
    return withoutDevice;
  }
  if (!isBuilt(root, command))
    deps.report.warn(
      `${command[0] ?? name} does not exist yet in ${relative(process.cwd(), root) || '.'}: correct "command" of ${kernloopFile}, or build it`,
    );
  return { ...described, ...foundDevice(root, command, deps) };
}

/** A program in the app's folder has device code only once it is built; others are found on the PATH. */
const isBuilt = (root: string, [program = '']: readonly string[]): boolean =>
  !program.includes('/') || existsSync(resolve(root, program));

function foundDevice(root: string, command: readonly string[], deps: Deps): Pick<KernloopJson, 'device'> & object {
  const { device, softgpu, because } = deviceOf({ app: root, command: [...command] }, deps.env);
  deps.report.info(`device: ${device} (${because})`);
  const more = softgpuOptions(softgpu);
  return { device, ...(Object.keys(more).length === 0 ? {} : { options: more }) };
}

/** Text with the device for a kernloop.json of an app that was not built when it was declared. */
function withDevice(file: string, root: string, options: InitOptions, deps: Deps): string | undefined {
  const config = readJson(file, kernloopJsonSchema, 'CONFIG_MISSING', `write ${kernloopFile}`);
  if (config.device !== undefined || !config.build || !isBuilt(root, config.command)) return undefined;
  const found = options.device === undefined ? foundDevice(root, config.command, deps) : { device: options.device };
  const facts = Object.entries(found).filter(
    ([name]) => name !== 'options' || Object.keys(config.options).length === 0,
  );
  return facts.reduce((before, [name, value]) => editJsonText(before, [name], value), readFileSync(file, 'utf8'));
}

function ignoreOutputs(workspace: string, root: string, built: readonly string[], deps: Deps): void {
  const files = filesOnDisk(workspace);
  const { text, added } = withOutputsIgnored(files.read('.gitignore', 'utf-8'), []);
  if (added > 0) {
    writeFileAtomic(join(workspace, '.gitignore'), text);
    deps.report.info(`.gitignore: ${added} lines for what stages write`);
  }
  const directory = relative(workspace, root);
  const own = join(directory, '.gitignore');
  const texts = { app: files.read(own, 'utf-8'), workspace: files.read('.gitignore', 'utf-8') };
  const ignored = withBuildIgnored(texts, directory, built);
  if (ignored !== null) writeFileAtomic(join(root, '.gitignore'), ignored);
}
