import type { TritonCompilation } from '../archive/triton-json';
import type { Deps } from '../deps/deps';
import type { NoSource } from '../source/no-source-json';
import { openSourceParser } from '../source/source-parser';
import { KernloopError } from '../support/error';
import { findTriton, tritonCompiler } from '../toolchain/find-triton';
import { readCaptured } from './captured';
import { isSameCode, prove } from './prove';
import type { PristineRequest, WrittenSource } from './request';
import { reduceRecorded, type Recorded } from './triton-modules';
import { writeTritonProject } from './triton-project';

/** The kernel as Triton compiled it in the app, as a project of its own; or the reason why there is none. */
export async function tritonSource(
  json: Recorded,
  request: PristineRequest,
  deps: Deps,
): Promise<{ found: WrittenSource; noSource: null } | { found: null; noSource: NoSource }> {
  const { compilation } = json;
  const noSource = whyNoText(compilation, request);
  if (noSource !== null) return { found: null, noSource };
  const reduced = reduceRecorded(json, await openSourceParser('python'));
  const captured = await readCaptured(request, deps);
  const compiler = await findTriton(
    { name: tritonCompiler, version: compilation.triton },
    compilation.executable,
    deps,
  );
  const attempt = async (isGridProven: boolean): Promise<WrittenSource & { grid: string }> => {
    const { unproven, files, file } = writeTritonProject(json, reduced.modules, request, isGridProven);
    const { codeObject, launch } = await prove(unproven, compiler, captured, request, deps);
    const recipe = { ...unproven, files, code_object: codeObject };
    const grid = (launch?.grid ?? []).join();
    return { recipe, definition: reduced.definition, file, translationUnit: file, reads: null, grid };
  };
  const made = await withGrid(json, request, attempt).catch((error: unknown) =>
    whyNoValue(compilation, request, error),
  );
  if ('code' in made) return { found: null, noSource: made };
  const { grid: _grid, ...found } = made;
  if (!isSameCode(found)) {
    deps.report.warn(
      `compiling the recorded source of ${request.capture.kernel.name} again does not give the captured code object${reduced.unexplained.length > 0 ? `; nothing tells what ${reduced.unexplained.join(', ')} is` : ''}`,
    );
  }
  return { found, noSource: null };
}

/** Tries the app's own grid formula and keeps it if it gives the launched grid; otherwise uses the captured numbers. */
async function withGrid<T extends { grid: string }>(
  { launch }: Recorded,
  { capture }: PristineRequest,
  attempt: (isGridProven: boolean) => Promise<T>,
): Promise<T> {
  if (launch?.grid_function.python == null) return attempt(false);
  try {
    const made = await attempt(true);
    if (made.grid === capture.geometry.grid_blocks.join()) return made;
  } catch (error) {
    if (!(error instanceof KernloopError) || error.code === 'INTERRUPTED') throw error;
  }
  return attempt(false);
}

/** Explains a failed compilation by a constant that could not be recorded; any other error is rethrown. */
function whyNoValue(
  { parameters = [], constexprs = [] }: TritonCompilation,
  request: PristineRequest,
  error: unknown,
): NoSource {
  const unknown = constexprs.flatMap(({ path, value }) =>
    'unknown' in value ? [`${parameters[path[0] ?? -1]?.name ?? 'one'} (a ${value.unknown})`] : [],
  );
  if (unknown.length === 0 || !(error instanceof KernloopError) || error.code !== 'COMPILE_FAILED') throw error;
  return {
    code: 'SOURCE_TRITON',
    reason: `the app passed constants to ${request.capture.kernel.symbol} whose values could not be written down: ${unknown.join(', ')}`,
    hint: 'pass numbers, strings, types, layouts of Gluon, or tuples of these, and capture again',
    files: [],
  };
}

function whyNoText({ function: place, source }: TritonCompilation, { capture }: PristineRequest): NoSource | null {
  const { symbol } = capture.kernel;
  if (place === null) {
    return {
      code: 'SOURCE_TRITON',
      reason: `Triton compiled ${symbol} from its intermediate representation, not from a Python function`,
      hint: 'edit that in the app and capture again',
      files: [],
    };
  }
  const gone = (source?.files ?? []).filter(({ text }) => text === null).map(({ path }) => path);
  if (gone.length === 0) return null;
  return {
    code: 'SOURCE_MOVED',
    reason: `${gone.join(', ')} was gone from the disk when Triton compiled ${symbol} in the app, and Python had kept no copy of it`,
    hint: 'keep the file until the kernel was launched for the first time, and capture again',
    files: gone,
  };
}
