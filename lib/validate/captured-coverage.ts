import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { captureDigest } from '../archive/capture-files';
import { readCapturedCode } from '../archive/captured-code';
import type { Deps } from '../deps/deps';
import { withDevice } from '../device/lock';
import { compilerOf, readRecipe } from '../recompile/recompile';
import { requestOfCaptured, type ReplaySession } from '../replay/session';
import { keepResult, keptPaths, keptResultSchema } from '../reproducer/kept-results';
import { reproducerPaths } from '../reproducer/layout';
import { sha256 } from '../support/files';
import { throwIfInterrupted } from '../support/interrupted';
import { readRegularFile } from '../support/regular-file';
import { version } from '../support/version';
import { compileReproducer } from '../toolchain/compile';
import { isSameKernelCode, isSameWhenLoaded } from '../toolchain/compared-code';
import { describeCode } from '../toolchain/described-code';
import { readLineTable } from '../toolchain/line-table';
import { overlayTemplate } from '../toolchain/overlay';
import { isCaptured } from '../toolchain/recipe';
import { counted, coverageOf, type Columns, type Coverage } from './coverage';
import type { EditedFile } from './edit';

type Sessions = readonly [ReplaySession, ...ReplaySession[]];

const compileLimitSeconds = 300;
const mostKeptBytes = 8 << 20;

const columnsSchema = z
  .array(z.tuple([z.string(), z.array(z.int())]))
  .transform((lines): Columns => new Map(lines.map(([key, columns]) => [key, new Set(columns)])));
const executedSchema = z.object({ column: z.int(), work: z.number(), isCounted: z.boolean() });
const coverageSchema = z.object({
  ...{ withCode: columnsSchema, ran: columnsSchema, selects: columnsSchema, oneSided: columnsSchema },
  ...{ oneSidedSelections: columnsSchema, decides: columnsSchema, doubtedCalls: columnsSchema },
  executed: z.array(z.tuple([z.string(), z.array(executedSchema)])).transform((lines) => new Map(lines)),
});
const keptSchema = keptResultSchema.extend({ result: coverageSchema });

/**
 * Coverage of the source before the edit, by the captured dispatches: it is compiled with line information, which
 * changes no instruction, and replayed once. Kept in build/ for the next edit. Null where the code that this gives is not
 * the captured one, and where the source cannot be compiled: a verdict is given without.
 */
export async function capturedCoverage(
  sessions: Sessions,
  files: readonly Pick<EditedFile, 'file' | 'original'>[],
  deps: Deps,
): Promise<Coverage | null> {
  const [{ reproducer, device }] = sessions;
  if (reproducer.config.language !== 'hip') return null;
  const { recipe } = readRecipe(reproducer);
  const isOfRecipe = ({ file, original }: (typeof files)[number]): boolean =>
    recipe.files[file]?.sha256 === sha256(original);
  if (!isCaptured(recipe.code_object) || !files.every(isOfRecipe)) return null;
  const { root, recipe: recipePath } = reproducerPaths(reproducer.root);
  const dispatches = sessions.map(({ capture }) => captureDigest(capture));
  const key = sha256(
    JSON.stringify([version, reproducer.files.digestOfWhole(recipePath), dispatches, device.description.identity]),
  );
  const path = keptPaths(root).capturedLines;
  const kept = keptIn(path, key);
  if (kept !== null) return kept;
  let found: Coverage | null;
  try {
    found = await compiledAndReplayed(sessions, deps);
  } catch {
    throwIfInterrupted(deps.signal);
    return null;
  }
  if (found !== null) keepResult(path, key, asKept(found), deps);
  return found;
}

function keptIn(path: string, key: string): Coverage | null {
  try {
    if (!existsSync(path)) return null;
    const bytes = readRegularFile(path);
    if (bytes.length > mostKeptBytes) return null;
    const { code_object_sha256: digest, result } = keptSchema.parse(JSON.parse(bytes.toString('utf8')));
    return digest === key ? result : null;
  } catch {
    return null;
  }
}

/** Lines of the reproducer's own files: an edit is in no other. */
function asKept({ executed, ...coverage }: Coverage): object {
  const own = <T>([name]: readonly [string, T]): boolean => !name.startsWith('/') && !name.startsWith('..');
  const lists = Object.entries(coverage).map(([name, columns]): [string, unknown] => [
    name,
    [...columns].filter(own).map(([line, set]) => [line, [...set]]),
  ]);
  return { ...Object.fromEntries(lists), executed: [...executed].filter(own) };
}

async function compiledAndReplayed(sessions: Sessions, deps: Deps): Promise<Coverage | null> {
  const [{ reproducer, device, capture }] = sessions;
  const { recipe } = readRecipe(reproducer);
  const { symbol } = capture.kernel;
  const scratch = mkdtempSync(join(tmpdir(), 'kernloop-lines-'));
  // Its messages are those of a source that nobody edits.
  const { run, env, signal, native } = deps;
  const report = { ...deps.report, output: () => undefined, info: () => undefined, warn: () => undefined };
  deps.report.progress?.({ what: 'the source before the edit:', done: 0, total: 1, unit: 'compilations' });
  try {
    const output = join(scratch, 'captured.bin');
    await compileReproducer(
      {
        ...{ reproducer: reproducerPaths(reproducer.root).pristine, recipe, overlay: overlayTemplate(recipe), output },
        ...{ compiler: await compilerOf(recipe, reproducer, deps), signature: null, lineInfo: true },
        ...{ limitSeconds: compileLimitSeconds, capture: reproducer.capture, scratch },
      },
      { run, env, signal, native, report },
    );
    const bytes = readRegularFile(output);
    const captured = await readCapturedCode(reproducer.capture, deps);
    const table = readLineTable(bytes);
    if (typeof captured === 'string' || table === null) return null;
    // A kernel that reads its own address may look at the rest of what is loaded.
    const [theirs, facts] = [await describeCode(captured, deps), await describeCode(bytes, deps)];
    if (!isSameKernelCode(symbol, theirs, facts) && !isSameWhenLoaded(theirs, facts)) return null;
    const asCaptured = (one: ReplaySession): ReplaySession => ({
      ...one,
      request: { ...requestOfCaptured(one), codeObject: output, symbol },
    });
    const [first, ...others] = sessions;
    const replayed: Sessions = [asCaptured(first), ...others.map(asCaptured)];
    const { events } = await withDevice(device, deps, () => counted(replayed, deps));
    return coverageOf(bytes, facts, table, events, replayed);
  } finally {
    deps.report.progress?.(null);
    rmSync(scratch, { recursive: true, force: true });
  }
}
