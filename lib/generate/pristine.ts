import { copyFileSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import type { App } from '../app/app';
import type { KernelEntry } from '../app/kernloop-json';
import type { CaptureJson } from '../archive/capture-files';
import { kernelArgs } from '../reproducer/kernel-args';
import { kernelJsonSchema, type KernelJson } from '../reproducer/kernel-json';
import { readsFile } from '../reproducer/reads-json';
import { makeIncludesRelative } from './relative-includes';
import type { SourceTree } from './source-tree';
import { renderTemplates } from './templates';
import { sha256OfFile, writeJson } from '../support/files';
import type { UnprovenRecipe } from '../toolchain/recipe';
import { overlayTemplate } from '../toolchain/overlay';
import { overlayTemplateFile, recipeFile, type Recipe } from '../toolchain/recipe';
import type { NoSource } from '../source/no-source-json';
import type { WrittenSource } from './request';
import { tritonArgs } from '../reproducer/triton-args';
import { kernelFile } from '../support/project-file-names';
import { schemaReference } from '../support/schema-reference';

/** Copies the kernel's file and its headers into a folder; returns the origin of each. */
export function writeSources(
  folder: string,
  tree: SourceTree,
  recipe: UnprovenRecipe,
  workspaceRoot: string,
): Recipe['files'] {
  const files: Recipe['files'] = {};
  const { file: variant, stands_for: standsFor } = recipe.variant;
  for (const { path, origin } of tree.files) {
    const place = path === standsFor ? variant : posix.join('deps', path);
    const copy = join(folder, place);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(origin, copy);
    makeIncludesRelative(copy, path, tree);
    files[place] = { origin: originOf(origin, path, workspaceRoot), sha256: sha256OfFile(copy) };
  }
  writeStandIn(folder, recipe);
  return files;
}

/**
 * Writes a file at the original's path, because the driver checks for its input before it reads the overlay. It defines
 * nothing: without the overlay the kernel would be missing, not silently another one.
 */
export function writeStandIn(folder: string, { variant }: UnprovenRecipe): void {
  const path = join(folder, 'deps', variant.stands_for);
  const back = relative(dirname(path), join(folder, variant.file));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `// ${back} is compiled in the place of this file.\n`);
}

/** Path relative to the workspace; a header from outside gets its path in the reproducer. */
function originOf(origin: string, place: string, workspaceRoot: string): string {
  const inside = inWorkspace(workspaceRoot, origin);
  return inside.startsWith('..') ? place : inside;
}

/** Follows links on both sides, because compiler and user may reach the workspace by different paths. */
export function inWorkspace(workspaceRoot: string, path: string): string {
  return relative(realpathSync(workspaceRoot), realpathSync(path));
}

export interface ProjectFilesOptions {
  folder: string;
  app: App;
  kernel: KernelEntry;
  capture: CaptureJson;
  captureFolder: string;
  /** Null if the kernel has no source. */
  found: WrittenSource | null;
  /** Reason why there is no source. */
  noSource: NoSource | null;
}

/** Writes everything of pristine/ except the sources; returns the paths of all its files. */
export function writeProjectFiles(options: ProjectFilesOptions): string[] {
  const { folder, capture, captureFolder, found } = options;
  const project = kernelJson(options);
  writeJson(join(folder, kernelFile), project);
  const rendered = renderTemplates({
    project,
    capture,
    captureFolder,
    recipe: found?.recipe ?? null,
  });
  for (const [path, text] of Object.entries(rendered)) writeFileSync(join(folder, path), text);
  if (found) {
    writeJson(join(folder, recipeFile), found.recipe);
    if (!isTriton(found)) writeJson(join(folder, overlayTemplateFile), overlayTemplate(found.recipe));
    const reads = found.reads && { ...found.reads, recipe_sha256: sha256OfFile(join(folder, recipeFile)) };
    if (reads) writeJson(join(folder, readsFile), reads);
  }
  const standIn = found && !isTriton(found) ? [posix.join('deps', found.recipe.variant.stands_for)] : [];
  const sources = found ? [...Object.keys(found.recipe.files), ...standIn] : [];
  const recipes = found
    ? [recipeFile, ...(isTriton(found) ? [] : [overlayTemplateFile]), ...(found.reads ? [readsFile] : [])]
    : [];
  return [...sources, ...recipes, kernelFile, ...Object.keys(rendered)].sort();
}

/** Triton kernels are compiled by a script, without an overlay. */
const isTriton = ({ recipe }: WrittenSource): boolean => recipe.triton !== undefined;

function kernelJson({ app, kernel, capture, found, noSource }: ProjectFilesOptions): KernelJson {
  const { name, from: _from, ...selection } = kernel;
  const schema = schemaReference(app.workspaceRoot, app.reproducer(name), 'kernel');
  return kernelJsonSchema.parse({
    ...(schema === undefined ? {} : { $schema: schema }),
    name,
    app: { name: app.config.name, root: inWorkspace(app.workspaceRoot, app.root) || '.' },
    symbol: capture.kernel.symbol,
    demangled: capture.kernel.name,
    code_object: capture.kernel.code_object,
    device: { kind: capture.device.kind, isa: capture.device.isa },
    selection,
    language: found?.recipe.language ?? 'none',
    source: found && {
      file: found.recipe.files[found.recipe.variant.file]?.origin ?? found.recipe.variant.stands_for,
      line: found.definition?.line ?? null,
      translation_unit: found.translationUnit,
      variant: found.recipe.variant.file,
    },
    ...(noSource === null ? {} : { no_source: noSource }),
    args: found?.recipe.triton
      ? tritonArgs(capture, found.recipe.triton.parameters)
      : kernelArgs(capture, found?.definition ?? null),
  });
}
