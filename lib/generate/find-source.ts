import { resolve } from 'node:path';
import { readNvrtcJson } from '../archive/nvrtc-json';
import { readTritonJson } from '../archive/triton-json';
import type { Deps } from '../deps/deps';
import type { Language } from '../language/language';
import { languages } from '../language/languages';
import { explainNoSource, triton, unrecordedHint, type NoSourceQuery } from '../source/no-source';
import type { NoSource } from '../source/no-source-json';
import { SearchTrail } from '../source/search-trail';
import { KernloopError } from '../support/error';
import { debugSourceFiles } from '../toolchain/debug-line';
import { dialectFor, dialectOf } from '../toolchain/dialects';
import { SystemFolders } from '../toolchain/system-folders';
import { readCaptured, type Captured } from './captured';
import { nvrtcSource } from './nvrtc-source';
import type { PristineRequest, WrittenSource } from './request';
import { searchSource } from './search-source';
import { tritonSource } from './triton-source';

type SourceOrReason = { found: WrittenSource; noSource: null } | { found: null; noSource: NoSource };

/** Prefers a program recorded at run time over a search, unless the user says where to search. */
export async function sourceOf(request: PristineRequest, deps: Deps): Promise<SourceOrReason> {
  const compiled = mayBeRecorded('triton', request) ? readTritonJson(request.captureFolder) : null;
  if (compiled?.compilation) return tritonSource({ ...compiled, compilation: compiled.compilation }, request, deps);
  if (compiled?.problem) return { found: null, noSource: unrecorded(compiled.problem, request) };
  const isToSearch = request.translationUnit !== undefined || !mayBeRecorded('nvrtc', request);
  const program = isToSearch ? null : readNvrtcJson(request.captureFolder);
  if (program === null) return findSource(request, deps);
  return { found: await nvrtcSource(program, request, deps), noSource: null };
}

/** If no language is given, it may be any. */
const mayBeRecorded = (recorder: Language['recorder'], { language }: PristineRequest): boolean =>
  language === undefined || languages[language].recorder === recorder;

/** Searches for the source; returns the reason if there is none. */
async function findSource(request: PristineRequest, deps: Deps): Promise<SourceOrReason> {
  const captured = await readCaptured(request, deps);
  const query = noSourceQuery(request, captured, deps);
  refuseOtherLanguage(request);
  const noSource = request.language === undefined ? triton(query) : null;
  if (noSource !== null) return { found: null, noSource };
  // No build knows how to compile this language.
  if (request.language !== undefined && dialectOf(request.language) === undefined)
    return { found: null, noSource: taken(query) };
  const found = await searchSource(request, captured, query.trail, deps);
  return found ? { found, noSource: null } : { found: null, noSource: explainNoSource(query) };
}

/** The app was watched, and the record says why it has no source. */
function unrecorded(problem: string, { capture }: PristineRequest): NoSource {
  return {
    code: 'SOURCE_TRITON',
    reason: `${capture.kernel.symbol} is a Triton kernel; ${problem}`,
    hint: 'the captured code can be replayed and validated all the same; with a version that is known it can be recompiled, too',
    files: [],
  };
}

function noSourceQuery({ app, capture }: PristineRequest, captured: Captured, deps: Deps): NoSourceQuery {
  const system = new SystemFolders([], deps.env);
  return {
    symbol: capture.kernel.symbol,
    demangled: capture.kernel.name,
    codeObject: capture.kernel.code_object,
    debugFiles: captured.code === null ? [] : debugSourceFiles(captured.code),
    unreadable: captured.unreadable,
    environment: { ...deps.env, ...app.config.env },
    own: [resolve(app.root, app.config.source), app.root, app.workspaceRoot],
    isSystem: (path) => system.contain(path),
    trail: new SearchTrail(),
  };
}

function taken(query: NoSourceQuery): NoSource {
  if (query.symbol.startsWith('_Z')) {
    throw new KernloopError(
      'USAGE',
      `${query.demangled} is no Triton kernel: its name ${query.symbol} is one of C++`,
      'leave --language out',
    );
  }
  return (
    triton(query) ?? {
      code: 'SOURCE_TRITON',
      reason: `${query.symbol} is taken for a Triton kernel, as --language says, and its compilation was not recorded`,
      hint: unrecordedHint,
      files: [],
    }
  );
}

/** Refuses a language that does not compile for the captured kind of device. */
function refuseOtherLanguage({ capture, language, kernel }: PristineRequest): void {
  if (language === undefined) return;
  const devices: readonly string[] = languages[language].devices;
  if (devices.includes(capture.device.kind)) return;
  throw new KernloopError(
    'USAGE',
    `${kernel.name} was captured as code for ${capture.device.isa}, which is not compiled from ${languages[language].label} here`,
    `leave --language out, or say ${dialectFor(capture.device.kind).name}`,
  );
}
