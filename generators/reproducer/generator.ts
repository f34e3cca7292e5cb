import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { joinPathFragments, logger, readNxJson, type GeneratorCallback, type Tree } from 'nx/src/devkit-exports';
import { openApp, type App } from '../../lib/app/app';
import { rewriteKernloopJson, withKernel } from '../../lib/app/declare-kernel';
import { kernelEntrySchema, kernloopJsonSchema, type KernelEntry } from '../../lib/app/kernloop-json';
import { isOfACapture, readCapture, type CaptureJson } from '../../lib/archive/capture-files';
import { keepCapture } from '../../lib/archive/kept-capture';
import { sameLaunches } from '../../lib/extract/same-launch';
import { buildPristine } from '../../lib/generate/generate';
import { pristineOnly } from '../../lib/reproducer/layout';
import { parseDemangledName } from '../../lib/source/demangled-name';
import { defaultDeps, type Deps } from '../../lib/deps/deps';
import { KernloopError } from '../../lib/support/error';
import { editJsonText } from '../../lib/support/edit-json';
import { jsonReader } from '../../lib/support/lenient-json';
import { withHint } from '../terminal';
import { reproducerOptionsSchema, type ReproducerOptions } from './options';
import { isInPlace } from './place';
import { escaped } from '../../lib/support/patterns';
import { kernloopFile } from '../../lib/support/project-file-names';
import { parseJson, readText } from '../../lib/support/schema';

/**
 * Makes a project from an existing capture, from a colleague or from `kernloop capture`; it runs no program but the
 * compiler.
 */
export default function reproducer(tree: Tree, given: ReproducerOptions): Promise<GeneratorCallback> {
  return withHint(() => generateReproducer(tree, given, defaultDeps()));
}

export async function generateReproducer(tree: Tree, given: ReproducerOptions, deps: Deps): Promise<GeneratorCallback> {
  const options = reproducerOptionsSchema.parse(given);
  const app = openApp(resolve(tree.root, options.app));
  const from = resolve(tree.root, options.capture);
  const capture = readCapture(from);
  const kernel = entryFor(app, capture, options.name);
  const to = app.capture(kernel.name);
  const isThere = isInPlace(app, kernel.name, capture);
  const folder = mkdtempSync(join(tmpdir(), 'kernloop-reproducer-'));
  try {
    const { files } = await buildPristine({ ...options, app, kernel, capture, captureFolder: from, folder }, deps);
    writeProject(tree, relative(tree.root, app.reproducer(kernel.name)), folder, files);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const file = join(app.root, kernloopFile);
  if (app.config.kernels.every(({ name }) => name !== kernel.name))
    logger.info(`${relative(tree.root, file)} will declare ${kernel.name}: ${kernel.match}`);
  return async () => {
    // The app's own capture stays the app's, even if a colleague sent a copy of it.
    const isOther = !isThere && resolve(from) !== resolve(to);
    if (isThere) logger.info(`${relative(tree.root, to)} has this very capture, and stays as it is`);
    else if (app.config.kernels.some((one) => one.name === kernel.name && one.from !== options.capture))
      logger.info(
        `UPDATE ${relative(tree.root, file)}: "from" of ${kernel.name}, which is not captured from ${app.config.name} any more`,
      );
    await declare(file, isOther ? { ...kernel, from: options.capture } : kernel, deps);
    if (isOther) {
      copyCapture(from, to);
      keepCapture(to, options.capture);
    }
    const init = usesPlugin(tree) ? '' : 'npx nx g kernloop:init, then ';
    logger.info(`Next: ${init}npx nx run ${app.config.name}-${kernel.name}:validate`);
    for (const line of sameLaunches(openApp(app.root), kernel.name, jsonReader())) logger.warn(line);
  };
}

/** Whether nx.json has the plugin, without which Nx knows no project of kernloop.json. */
function usesPlugin(tree: Tree): boolean {
  const { plugins = [] } = readNxJson(tree) ?? {};
  return plugins.some((entry) => (typeof entry === 'string' ? entry : entry.plugin) === 'kernloop/plugin');
}

/** The declared kernel with that name, else a new entry that selects exactly the captured kernel. */
function entryFor(app: App, capture: CaptureJson, name: string | undefined): KernelEntry {
  const wanted = name ?? parseDemangledName(capture.kernel.name).base;
  const declared = app.config.kernels.find((kernel) => kernel.name === wanted);
  if (declared) {
    const pattern = new RegExp(declared.match);
    if (pattern.test(capture.kernel.name) || pattern.test(capture.kernel.symbol)) return declared;
    throw new KernloopError(
      'USAGE',
      `${app.config.name} declares "${wanted}" as ${declared.match}, which ${capture.kernel.name} does not match`,
      'give the reproducer another name with --name',
    );
  }
  return kernelEntrySchema.parse({
    name: wanted,
    match: `^${escaped(capture.kernel.name)}$`,
    ordinal: capture.dispatch.ordinal,
    scope: capture.scope.mode,
  });
}

/** Declares the kernel once the tree is written: the tree would write kernloop.json as it was before the compilation. */
async function declare(file: string, kernel: KernelEntry, deps: Deps): Promise<void> {
  await rewriteKernloopJson(file, deps, () => {
    const text = readText(file, 'CONFIG_MISSING', '');
    const { kernels } = parseJson(file, text, kernloopJsonSchema);
    const index = kernels.findIndex(({ name }) => name === kernel.name);
    if (index < 0) return withKernel(text, kernel);
    const { from } = kernel;
    return from === undefined || from === kernels[index]?.from
      ? undefined
      : editJsonText(text, ['kernels', index, 'from'], from);
  });
}

/** Writes `pristine/` as generated, and files beside it that do not exist yet. */
function writeProject(tree: Tree, root: string, folder: string, files: readonly string[]): void {
  for (const file of files) {
    const content = readFileSync(join(folder, file));
    tree.write(joinPathFragments(root, 'pristine', file), content);
    const adopted = joinPathFragments(root, file);
    if (pristineOnly.includes(file)) continue;
    if (!tree.exists(adopted)) tree.write(adopted, content);
    else if (!tree.read(adopted)?.equals(content))
      logger.info(`${adopted} differs from what was generated and stays as it is`);
  }
}

/**
 * Copies after the project's files are written: a capture may be too large for a generator to hold in memory. The
 * user's files beside a capture stay.
 */
function copyCapture(from: string, to: string): void {
  const isWanted = (source: string, target: string): boolean =>
    isOfACapture(basename(source)) || statSync(source).isDirectory() || !existsSync(target);
  cpSync(from, to, { recursive: true, filter: isWanted });
}
