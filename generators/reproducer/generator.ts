import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { joinPathFragments, logger, readNxJson, type GeneratorCallback, type Tree } from 'nx/src/devkit-exports';
import { sameButForSchema, withCaptureOf } from '../../lib/adopt/adopt';
import { openApp, type App } from '../../lib/app/app';
import { rewriteKernloopJson, withKernel } from '../../lib/app/declare-kernel';
import { kernelEntrySchema, kernloopJsonSchema, type KernelEntry } from '../../lib/app/kernloop-json';
import { isOfACapture, keptFile, packFile, readCapture, type CaptureJson } from '../../lib/archive/capture-files';
import { keepCapture } from '../../lib/archive/kept-capture';
import { otherProjects } from '../../lib/extract/other-projects';
import { buildPristine } from '../../lib/generate/generate';
import { digestsAsAdopted, isUnedited, noteAdopted } from '../../lib/reproducer/adopted-files';
import { pristineOnly, reproducerPaths } from '../../lib/reproducer/layout';
import { parseDemangledName } from '../../lib/source/demangled-name';
import { defaultDeps, type Deps } from '../../lib/deps/deps';
import { KernloopError } from '../../lib/support/error';
import { editJsonText } from '../../lib/support/edit-json';
import { jsonReader, textIfThere } from '../../lib/support/lenient-json';
import { withHint } from '../terminal';
import { launchBefore } from './launch-before';
import { reproducerOptionsSchema, type ReproducerOptions } from './options';
import { isCaptured, recipeFile, recipeSchema } from '../../lib/toolchain/recipe';
import { placeFor } from './place';
import { escaped } from '../../lib/support/patterns';
import { kernelFile, kernloopFile } from '../../lib/support/project-file-names';
import { parseJson, readText } from '../../lib/support/schema';

/** Makes a project from an existing capture, from a colleague or from `kernloop capture`; it does not run the app. */
export default function reproducer(tree: Tree, given: ReproducerOptions): Promise<GeneratorCallback> {
  return withHint(() => generateReproducer(tree, given, defaultDeps()));
}

export async function generateReproducer(tree: Tree, given: ReproducerOptions, deps: Deps): Promise<GeneratorCallback> {
  const options = reproducerOptionsSchema.parse(given);
  const app = openApp(resolve(tree.root, options.app));
  const from = resolve(tree.root, options.capture);
  const capture = readCapture(from);
  const kernel = entryFor(app, capture, options.name);
  const [root, to] = [app.reproducer(kernel.name), app.capture(kernel.name)];
  const { isThere, damage } = await placeFor(app, kernel.name, capture, from, deps);
  const folder = mkdtempSync(join(tmpdir(), 'kernloop-reproducer-'));
  try {
    const { files } = await buildPristine({ ...options, app, kernel, capture, captureFolder: from, folder }, deps);
    if (!isThere) tellLaunchBefore(kernel.name, root, folder);
    if (isThere && isProven(reproducerPaths(root).pristine) && !isProven(folder))
      logger.warn(
        `${relative(tree.root, root)} stays as it is: its source recompiles to the captured code, and the one that ${app.config.name} has now does not, as if it was changed since the app was built`,
      );
    else writeProject(tree, root, folder, files);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  // The app's own capture stays the app's, even if a colleague sent a copy of it.
  const isOther = !isThere && resolve(from) !== resolve(to);
  const entry = isOther ? { ...kernel, from: options.capture } : kernel;
  const file = join(app.root, kernloopFile);
  tellDeclaration(app, entry, relative(tree.root, file));
  if (damage !== null) logger.warn(`${relative(tree.root, to)} is copied afresh from ${options.capture}: ${damage}`);
  else if (isThere) logger.info(`${relative(tree.root, to)} has this very capture, and stays as it is`);
  for (const line of otherProjects(app, kernel.name, from, jsonReader())) logger.warn(line);
  return async () => {
    noteAdopted(root);
    await declare(file, entry, deps);
    if (isOther || damage !== null) copyCapture(from, to);
    if (isOther) keepCapture(to, options.capture);
    const init = usesPlugin(tree) ? '' : 'npx nx g kernloop:init, then ';
    logger.info(`Next: ${init}npx nx run ${app.config.name}-${kernel.name}:validate`);
  };
}

/** Whether a generated folder has a source that gives the captured code. */
function isProven(folder: string): boolean {
  const { data } = recipeSchema.safeParse(jsonReader()(join(folder, recipeFile)));
  return data !== undefined && isCaptured(data.code_object);
}

/** Says what kernloop.json gets. */
function tellDeclaration({ config }: App, { name, match, from }: KernelEntry, file: string): void {
  const declared = config.kernels.find((one) => one.name === name);
  if (declared === undefined) logger.info(`${file} will declare ${name}: ${match}`);
  if (from !== declared?.from)
    logger.info(
      `${file}: ${name} gets "from": ${JSON.stringify(from)}, since its capture is a copy of that folder; without "from", extract captures it from ${config.name}`,
    );
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

/**
 * Writes `pristine/` as generated, files beside it that do not exist yet, and those that are as in the pristine/ before:
 * what adopt does, in a tree.
 */
function writeProject(tree: Tree, root: string, folder: string, files: readonly string[]): void {
  const adopted = digestsAsAdopted(root);
  for (const file of files) {
    const content = readFileSync(join(folder, file));
    const path = joinPathFragments(relative(tree.root, root), file);
    tree.write(joinPathFragments(relative(tree.root, root), 'pristine', file), content);
    if (pristineOnly.includes(file)) continue;
    if (!tree.exists(path) || isUnedited(root, file, adopted)) tree.write(path, content);
    else if (!tree.read(path)?.equals(content)) keepEdited(tree, path, join(folder, file));
  }
}

/** An edited file stays, but kernel.json gets what the capture decides. */
function keepEdited(tree: Tree, path: string, generated: string): void {
  const isKernelJson = basename(path) === kernelFile;
  const mine = join(tree.root, path);
  if (isKernelJson && sameButForSchema(generated, mine)) return;
  const current = isKernelJson ? withCaptureOf(generated, mine) : undefined;
  if (current === undefined) logger.info(`${path} differs from what was generated and stays as it is`);
  else {
    tree.write(path, current);
    logger.info(`${path} names what is captured now, and stays otherwise as it is`);
  }
}

/** Says that the project was of another launch, if its README.md tells that. */
function tellLaunchBefore(name: string, root: string, folder: string): void {
  const readme = join(reproducerPaths(root).pristine, 'README.md');
  const before = launchBefore(textIfThere(readme) ?? '', readText(join(folder, 'README.md'), 'FILE_UNREADABLE', ''));
  if (before !== undefined)
    logger.warn(`${name} was of another launch until now, whose capture is gone (pristine/README.md: ${before})`);
}

/**
 * Copies after the project's files are written: a capture may be too large for a generator to hold in memory. The
 * user's files beside a capture stay. The pack of a capture in pieces goes, since chunks of the new one may be elsewhere.
 */
function copyCapture(from: string, to: string): void {
  const isWanted = (source: string, target: string): boolean =>
    basename(source) !== keptFile &&
    (isOfACapture(basename(source)) || statSync(source).isDirectory() || !existsSync(target));
  rmSync(packFile(to), { force: true });
  cpSync(from, to, { recursive: true, filter: isWanted });
}
