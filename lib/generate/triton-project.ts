import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { TritonSourceFile } from '../archive/triton-json';
import type { ReducedModule } from '../source/reduce-python';
import { isInside, sha256OfFile } from '../support/files';
import { packageRoot } from '../support/version';
import { reproducerLibrary, reproducerScript } from '../language/triton';
import { tritonCompiler } from '../toolchain/find-triton';
import type { Recipe, UnprovenRecipe } from '../toolchain/recipe';
import { signatureOf } from './captured';
import { inWorkspace } from './pristine';
import type { PristineRequest } from './request';
import { resetFolder } from './scratch';
import type { Recorded } from './triton-modules';
import { reproducerText } from './triton-script';
import { moduleText } from './triton-text';

const variantFile = 'kernel_variant.py';
const library = join(packageRoot, 'python', 'reproducer', reproducerLibrary);

/** Writes the sources of a Triton kernel's reproducer and the recipe. `file` is the app's file as users know it. */
export function writeTritonProject(
  json: Recorded,
  modules: readonly ReducedModule[],
  request: PristineRequest,
  isGridProven: boolean,
): { unproven: UnprovenRecipe; files: Recipe['files']; file: string } {
  const { compilation } = json;
  const { app, capture, folder } = request;
  const kernel = compilation.function ?? { module: '', qualname: '' };
  const name = kernel.qualname.split('.').at(-1) ?? '';
  const files: Recipe['files'] = {};
  const recorded = new Map((compilation.source?.files ?? []).map((file) => [file.module, file]));
  const notes: string[] = [];
  const origins = (module: string): string => {
    const file = recorded.get(module);
    if (file === undefined) return module;
    const drift = driftOf(file, json);
    if (drift !== null) notes.push(drift);
    return isInside(app.workspaceRoot, file.path) && existsSync(file.path)
      ? inWorkspace(app.workspaceRoot, file.path)
      : basename(file.path);
  };
  resetFolder(folder);
  const written = modules.map((module) => {
    const file = module.name === kernel.module ? variantFile : placeOf(module.name, recorded.get(module.name));
    const origin = origins(module.name);
    const { text, lines } = moduleText(module, header(module, origin, file, name));
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
    files[file] = { origin, sha256: sha256OfFile(join(folder, file)) };
    return { module: module.name, file, sha256: sha256OfFile(join(folder, file)), lines };
  });
  // A single module is not imported by another, so its package need not exist.
  const alone = written.length === 1 && !hasRelativeImport(modules);
  const nameOf = (module: string): string => (alone || module === '__main__' ? 'kernel_variant' : module);
  const passed = (compilation.parameters ?? [])
    .filter(({ type }) => type !== 'constexpr')
    .map((parameter) => ({ name: parameter.name, type: parameter.type }));
  const script = reproducerText({
    ...{ app: app.config.name, json, capture, passed, isGridProven },
    kernel: `${nameOf(kernel.module)}:${name}`,
    modules: written.map(({ module, file }) => ({ name: nameOf(module), file })),
  });
  writeFileSync(join(folder, reproducerScript), script);
  copyFileSync(library, join(folder, reproducerLibrary));
  for (const own of [reproducerScript, reproducerLibrary])
    files[own] = { origin: 'kernloop', sha256: sha256OfFile(join(folder, own)) };
  const unproven: UnprovenRecipe = {
    ...{ schema: 'kernloop.recipe/1', language: 'triton', symbol: capture.kernel.symbol },
    compiler: { name: tritonCompiler, version: compilation.triton },
    environment: {},
    target: String(compilation.target.arch),
    triton: {
      ...{ kernel: { module: kernel.module, name }, modules: written, parameters: passed },
      captured: capturedNeeds(json, request),
    },
    arguments: [],
    main: variantFile,
    variant: { file: variantFile, stands_for: variantFile },
    signature: signatureOf(capture),
    aliases: {},
    notes,
  };
  return { unproven, files, file: files[variantFile]?.origin ?? variantFile };
}

function capturedNeeds(
  { compilation: { metadata } }: Recorded,
  { capture }: PristineRequest,
): NonNullable<UnprovenRecipe['triton']>['captured'] {
  const number = (name: string, otherwise: number): number => {
    const value = metadata[name];
    return typeof value === 'number' ? value : otherwise;
  };
  return {
    grid: capture.geometry.grid_blocks,
    num_ctas: number('num_ctas', 1),
    global_scratch_size: number('global_scratch_size', 0),
    profile_scratch_size: number('profile_scratch_size', 0),
  };
}

/** The compiled text counts, even if the file has changed since. */
function driftOf({ path, text }: TritonSourceFile, { sources }: Recorded): string | null {
  const now = existsSync(path) ? readFileSync(path, 'utf8') : null;
  if (now === null) return `${basename(path)} is gone: its text is that of the capture`;
  return normal(now) === normal(sources[text ?? ''] ?? '')
    ? null
    : `${basename(path)} was changed since the capture: its text is that of the capture`;
}

const normal = (text: string): string => text.replaceAll('\r\n', '\n').replace(/\n*$/, '');

function header({ name, dropped }: ReducedModule, origin: string, file: string, kernel: string): string[] {
  const what = file === variantFile ? `${kernel}, yours to edit` : name;
  return [
    `${what}: of ${origin} what the kernel is compiled from.`,
    ...dropped.map((decorator) => `Left out: ${shortened(decorator.replaceAll(/\s*\n\s*/g, ' '))}`),
  ];
}

/** TorchInductor's decorators contain everything that it knows about a kernel, so they are shortened. */
const maxDecorator = 400;
const shortened = (text: string): string => (text.length > maxDecorator ? `${text.slice(0, maxDecorator)} …` : text);

function placeOf(module: string, file: TritonSourceFile | undefined): string {
  const path = module.replaceAll('.', '/');
  return file?.is_package === true ? `deps/${path}/__init__.py` : `deps/${path}.py`;
}

function hasRelativeImport(modules: readonly ReducedModule[]): boolean {
  return modules.some(({ statements }) => statements.some(({ imports }) => imports.some(({ level }) => level > 0)));
}
