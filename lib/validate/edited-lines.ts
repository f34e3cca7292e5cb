import { relative } from 'node:path';
import { readCapturedCode } from '../archive/captured-code';
import type { Deps } from '../deps/deps';
import { withDevice } from '../device/lock';
import type { ReplaySession } from '../replay/session';
import { SourceFiles } from '../replay/source-files';
import { reproducerPaths } from '../reproducer/layout';
import type { Reproducer } from '../reproducer/reproducer';
import { parseDemangledName } from '../source/demangled-name';
import { asKernloopError } from '../support/error';
import { throwIfInterrupted } from '../support/interrupted';
import { readRegularFile } from '../support/regular-file';
import { isSameKernelCode } from '../toolchain/compared-code';
import { describeCode, type Described } from '../toolchain/described-code';
import { readLineTable, type SourceLine } from '../toolchain/line-table';
import { codeOf } from './conditionals';
import { capturedCoverage } from './captured-coverage';
import { compiledText } from './compiled-text';
import { counted, coverageOf, keyOf, type Coverage } from './coverage';
import { doubtsOf } from './doubts';
import { filesOfEdit, hasOtherLines, type EditedFile } from './edit';
import { narrowedInputs } from './narrowed-inputs';
import { hunksOf } from './new-lines';
import { removedConditions } from './removed-conditions';
import { removedLines, type RemovedLines } from './removed-lines';
import type { EditedLines, Report, Verdict } from './report-json';

/** Verdicts after which the kernel ends when it is replayed once more. */
const ending: readonly Verdict[] = ['pass', 'fail', 'vacuous'];

type Judged = Pick<Report, 'verdict' | 'dispatches'>;
type Sessions = readonly [ReplaySession, ...ReplaySession[]];

/**
 * Replays each dispatch once more, counts instructions by line, and tells which edited lines ran. The verdict stands
 * before: no failure here changes it. Undefined where nothing can be told: without line information, for a code object
 * that is not recompile's, and on devices that count no instructions.
 */
export async function editedLines(sessions: Sessions, judged: Judged, deps: Deps): Promise<EditedLines | undefined> {
  const [first] = sessions;
  if (first.device.work !== 'wave_instructions' || !ending.includes(judged.verdict)) return undefined;
  const { code, reproducer } = first;
  const { language, device } = reproducer.config;
  if (code.kind !== 'variant' || language === 'none') return undefined;
  if (code.path !== reproducerPaths(reproducer.root).variant(language, device.kind)) return undefined;
  try {
    return await linesThatRan(sessions, code.path, judged, deps);
  } catch (error) {
    throwIfInterrupted(deps.signal);
    deps.report.info(
      `the verdict is of the results; which edited lines ran was not counted: ${asKernloopError(error).what}`,
    );
    return undefined;
  }
}

async function linesThatRan(
  sessions: Sessions,
  codeObject: string,
  judged: Judged,
  deps: Deps,
): Promise<EditedLines | undefined> {
  const [first] = sessions;
  const { reproducer, device } = first;
  const passed = judged.verdict === 'pass';
  const bytes = readRegularFile(codeObject);
  const files = filesOfEdit(reproducer);
  if (files === null || files.length === 0) return undefined;
  for (const { file, after } of files)
    if (hasOtherLines(after))
      throw new Error(`${file} has #line, or carriage returns alone: the compiler counts its lines otherwise`);
  const facts = await describeCode(bytes, deps);
  if (await hasCapturedCode(sessions, facts, deps)) {
    if (passed)
      deps.report.result(
        `the machine code of ${first.capture.kernel.name} is that of the captured kernel: the edit changes nothing of it, for any input`,
      );
    const others = kernelsOfLines(files, { bytes, facts }, first);
    return others.length === 0 ? undefined : { edited: 0, without_code: 0, not_run: [], other_kernels: others };
  }
  const table = readLineTable(bytes);
  if (table === null) {
    if (passed)
      deps.report.info(
        `the verdict is of the results; which edited lines ran was not counted: ${lineInfoHint(reproducer)}`,
      );
    return undefined;
  }
  const { events, outside } = await withDevice(device, deps, () => counted(sessions, deps));
  const coverage = coverageOf(bytes, facts, table, events, sessions);
  if (coverage === null) return undefined;
  const now = doubtsOf(files, coverage);
  const columnsIn = (file: string) => (line: number) => coverage.withCode.get(keyOf({ file, line }));
  const compiled = files.map((one) => {
    const columns = columnsIn(one.file);
    return { ...one, after: compiledText(one.before, one.after, (line) => columns(line) !== undefined) };
  });
  const before = passed ? await linesBefore(sessions, compiled, now, coverage, deps) : null;
  const removed = compiled
    .flatMap(({ file, original, before, after }) =>
      removedConditions(before, after, columnsIn(file), original).map((one) => ({ file, ...one })),
    )
    .filter((one) => before?.isSeen(one) !== true);
  const kernel = {
    name: parseDemangledName(first.capture.kernel.name).base,
    scalars: [...unvariedScalars(sessions, judged), ...(sessions.length === 1 ? compiled.flatMap(constantsIn) : [])],
  };
  const narrowed = compiled.flatMap(({ file, before, after }) =>
    narrowedInputs(before, after, kernel).map((one) => ({ file, ...one })),
  );
  const named = new Set(removed.map((one) => keyOf({ file: one.file, line: one.before })));
  const unseen = (before?.unseen ?? []).filter((one) => !named.has(keyOf(one)));
  return {
    ...now,
    ...(removed.length === 0 ? {} : { removed: removed.map(({ before: _before, ...one }) => one) }),
    ...(unseen.length === 0 ? {} : { removed_lines: unseen }),
    ...narrowedBeside(narrowed, removed),
    ...(outside.length === 0 ? {} : { outside }),
  };
}

/** Null if the edit removes and changes no line, or the captured dispatches cannot tell of them. */
async function linesBefore(
  sessions: Sessions,
  files: readonly EditedFile[],
  doubts: EditedLines,
  code: Coverage,
  deps: Deps,
): Promise<RemovedLines | null> {
  if (files.every(({ before, after }) => hunksOf(before, after)?.every(({ removed }) => removed.length === 0) === true))
    return null;
  const coverage = await capturedCoverage(sessions, files, deps);
  return coverage === null ? null : removedLines(files, doubts, code, coverage);
}

/** A condition that was removed says as much of what it read. */
function narrowedBeside(narrowed: Narrowed, removed: readonly SourceLine[]): Pick<EditedLines, 'narrowed'> {
  const named = new Set(removed.map(keyOf));
  const others = narrowed.filter((one) => !named.has(keyOf(one)));
  return others.length === 0 ? {} : { narrowed: others };
}

type Narrowed = NonNullable<EditedLines['narrowed']>;

/** Names of the scalar parameters, and of the extents of the launch, that had one value in all that was judged. */
function unvariedScalars(sessions: readonly ReplaySession[], { dispatches }: Judged): string[] {
  const derived = dispatches.flatMap(({ inputs }) => inputs?.tried ?? []);
  const varied = new Set(
    derived.flatMap(({ verdict, argument }) => (verdict === 'same' && argument ? argument.name : [])),
  );
  const { args = [] } = sessions[0]?.reproducer.config ?? {};
  const extents = (['grid_blocks', 'block_threads'] as const).map(
    (extent) => new Set(sessions.map(({ capture }) => capture.geometry[extent].join())).size,
  );
  const launch = ['gridDim', 'blockDim'].filter((_, index) => extents[index] === 1);
  return args
    .flatMap(({ name, type, kind, offset }) => {
      if (name === null || kind === 'global_buffer' || type.includes('*') || varied.has(name)) return [];
      const valueIn = ({ capture }: ReplaySession) =>
        capture.kernarg.slots.find((slot) => slot.offset === offset)?.value;
      return new Set(sessions.map(valueIn)).size > 1 ? [] : [name];
    })
    .concat(launch);
}

/** Names of constant memory, which one launch has with one content. */
const constantsIn = ({ before }: EditedFile): string[] =>
  [...codeOf(before).matchAll(/\b__constant__\s[^;={}()]{0,200}?\b(\w+)\s*(?:\[[^\]]*\]\s*)*[;={]/g)].flatMap(
    ([, name]) => name ?? [],
  );

async function hasCapturedCode(
  sessions: readonly ReplaySession[],
  facts: Described | null,
  deps: Deps,
): Promise<boolean> {
  for (const { reproducer, request, capture } of sessions) {
    const { symbol } = capture.kernel;
    if ((request.symbol ?? symbol) !== symbol || request.ownLaunch === true) return false;
    const captured = await readCapturedCode(reproducer.capture, deps);
    if (typeof captured === 'string') return false;
    if (!isSameKernelCode(symbol, await describeCode(captured, deps), facts)) return false;
  }
  return true;
}

/** Other kernels of the code object that have code of edited lines of which the judged one has none. */
function kernelsOfLines(
  files: readonly EditedFile[],
  { bytes, facts }: { bytes: Buffer; facts: Described | null },
  { reproducer, capture }: ReplaySession,
): string[] {
  const table = readLineTable(bytes);
  const sources = new SourceFiles(reproducer);
  const keys = new Set(files.flatMap(({ file, lines }) => lines.map((line) => keyOf({ file, line }))));
  const ranges = (facts?.kernels ?? []).flatMap(({ symbol, code }) => (code ? [{ symbol, ...code }] : []));
  const owners = new Map<string, Set<string>>();
  for (const place of table?.places() ?? []) {
    const key = keyOf({ ...place, file: sources.shown(place.file) });
    const owner = ranges.find(({ begin, end }) => place.address >= begin && place.address < end)?.symbol;
    if (owner !== undefined && keys.has(key)) owners.set(key, (owners.get(key) ?? new Set()).add(owner));
  }
  const others = [...owners.values()].filter((symbols) => !symbols.has(capture.kernel.symbol));
  return [...new Set(others.flatMap((symbols) => [...symbols]))];
}

const lineInfoHint = ({ root }: Reproducer): string =>
  `the code has no line information; \`kernloop recompile ${relative(process.cwd(), root) || '.'} --line-info\` adds it`;
