import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { openApp, type App } from '../app/app';
import { matchOf, rewriteKernloopJson, withKernel, type DeclaredKernel } from '../app/declare-kernel';
import { kernelEntrySchema, type KernelEntry } from '../app/kernloop-json';
import { beyondBounds, problemOfExpression, shorterExpression } from '../app/name-expression';
import { refuseTwin } from '../app/refuse-twin';
import type { Deps } from '../deps/deps';
import { carriedBy, functionIn, knownKernels, listed } from '../profile/known-kernels';
import { matchFor, matchedBy, type LaunchedKernel } from '../profile/launched-kernels';
import { profileSchema } from '../profile/profile-json';
import { KernloopError, messageOf, nearest } from '../support/error';
import { commandText } from '../support/command-text';
import { escaped } from '../support/patterns';
import { kernloopFile } from '../support/project-file-names';
import { readJson, readText } from '../support/schema';
import type { DeclareOptions } from './options';
import type { DeclareResult } from './result';

/** Adds a kernel to the app's kernloop.json, and keeps the rest of its text. */
export async function declare(given: DeclareOptions, deps: Deps): Promise<DeclareResult> {
  const app = openApp(given.app);
  const options = withWholeName(app, given, deps);
  const file = join(app.root, kernloopFile);
  const kernel = entryOf(options);
  requireExpression(app, options, deps);
  await rewriteKernloopJson(file, deps, () => {
    const text = withKernel(readText(file, 'CONFIG_MISSING', ''), kernel);
    const declared = kernelEntrySchema.parse(kernel);
    refuseSameSelection(openApp(app.root), declared);
    refuseTwin(app.workspaceRoot, app.root, app.config.name);
    if (!options.force && options.from === undefined) {
      refuseSameKernels(app, declared);
      refuseSeveral(app, options);
      refuseUnknown(app, options, deps);
    }
    return text;
  });
  const declared = kernelEntrySchema.parse(kernel);
  const shown = relative(process.cwd(), file);
  deps.report.result(`${shown} declares ${declared.name}: ${declared.match}`);
  const launched = declared.wholeName === true ? null : launchedBy(app, declared.match, deps);
  if (launched === null) {
    tellOfCode(app, options, deps);
    warnOfSeveral(app, options, deps);
  }
  const folder = app.root === process.cwd() ? '' : `--app ${relative(process.cwd(), app.root)} `;
  const { from } = declared;
  if (from !== undefined)
    deps.report.result(
      `Next, put its capture there: ${commandText(['kernloop', 'unpack', from, '--to', relative(process.cwd(), app.capture(declared.name))])}`,
    );
  else deps.report.result(`Next, make it a project: kernloop extract ${folder}${declared.name}`);
  return { file, app: app.config.name, declared, reproducer: app.reproducer(declared.name), launched };
}

/** A name with the types of its parameters, as `profile` prints it: as an expression it would not even match itself. */
const isSignature = (text: string): boolean =>
  /^[\w:<>,*& ]+\([\w:<>,*& ]*\)$/.test(text) &&
  (problemOfExpression(text) !== null || !new RegExp(`^(?:${text})$`).test(text));

/** The whole name of a launched kernel as `--match` means that kernel, although its brackets mean groups in an expression. */
function withWholeName(app: App, options: DeclareOptions, deps: Deps): DeclareOptions {
  const { match } = options;
  const all = profiledKernels(app) ?? [];
  if (match === undefined) return options;
  const isName = isSignature(match) || all.some(({ name, symbol }) => name === match || symbol === match);
  const isExpression = problemOfExpression(match) === null;
  if (!isName || (isExpression && matchedBy(match, all).length > 0)) return options;
  const own = `^${escaped(match)}$`;
  deps.report.info(`--match is taken for the whole name of a kernel; as an expression it is '${own}'`);
  return { ...options, match: own };
}

/** Refuses a text that is no regular expression, with the kernels that one may mean. */
function requireExpression(app: App, { name, match }: DeclareOptions, { env }: Deps): void {
  if (match === undefined) return;
  const beyond = beyondBounds(match);
  if (beyond !== null) throw new KernloopError('USAGE', `--match ${beyond}`, shorterExpression);
  try {
    new RegExp(match);
  } catch (error) {
    const known = knownKernels(app, env);
    const words = match.replaceAll(/[^\w:]+/g, ' ').trim();
    const close = known === null ? [] : nearest(words, known.names, mostShown);
    const names = close.length > 0 ? close : (known?.names ?? []);
    const meant = known === null || names.length === 0 ? '' : `; ${known.source} ${listed(names)}`;
    throw new KernloopError(
      'USAGE',
      `--match ${match}: ${messageOf(error)}`,
      `put \\ before a character that stands for itself: --match '${escaped(match)}'; or leave --match out, and ${close[0] ?? name} means the function of this name${meant}`,
      { cause: error },
    );
  }
}

/** The entry as a user writes it: without what is the default anyway. */
function entryOf({ app: _app, force: _force, name, match, ordinal, scope, ...more }: DeclareOptions): DeclaredKernel {
  const given = Object.entries(more).filter(([, value]) => value !== undefined);
  return {
    name,
    match: match ?? matchOf(name),
    ...(ordinal === 1 ? {} : { ordinal }),
    ...(scope === 'reachable' ? {} : { scope }),
    ...Object.fromEntries(given),
  };
}

/** Refuses a second name for the same launches: one dispatch goes to one capture. */
function refuseSameSelection({ config }: App, { name, ...selection }: DeclareResult['declared']): void {
  const same = config.kernels.find(({ name: _name, ...other }) => isDeepStrictEqual(other, selection));
  if (same === undefined) return;
  throw new KernloopError(
    'SELECTION_CONFLICT',
    `${kernloopFile} of ${config.name} declares the same launches already, as "${same.name}", so that "${name}" would never be captured`,
    `use ${same.name}, or select other launches with --match, --ordinal or --dispatch`,
  );
}

/** Refuses a second name for the same launches that is written otherwise: its expression matches what another one does. */
function refuseSameKernels(app: App, { name, match, wholeName, ...launches }: DeclareResult['declared']): void {
  const all = profiledKernels(app) ?? [];
  const symbolsOf = (entry: Pick<KernelEntry, 'match' | 'wholeName'>): string[] =>
    entry.wholeName === true ? [] : matchedBy(entry.match, all).map(({ symbol }) => symbol);
  const own = symbolsOf({ match, wholeName });
  if (own.length === 0) return;
  const same = openApp(app.root).config.kernels.find(
    ({ name: _name, match: otherMatch, wholeName: otherWhole, from, ...others }) =>
      from === undefined &&
      isDeepStrictEqual(others, launches) &&
      isDeepStrictEqual(symbolsOf({ match: otherMatch, wholeName: otherWhole }), own),
  );
  if (same === undefined) return;
  throw new KernloopError(
    'SELECTION_CONFLICT',
    `${kernloopFile} of ${app.config.name} declares the same launches already, as "${same.name}": in the last profile /${same.match}/ and /${match}/ match the same kernel, so that "${name}" would be its second capture`,
    `use ${same.name}, or select other launches with --match, --ordinal or --dispatch; if the app was changed since its last profile, profile it again`,
  );
}

/**
 * Refuses a kernel that neither the code of the app's program has nor the last profile saw: an entry for it fails each
 * extract of the app.
 */
function refuseUnknown(app: App, options: DeclareOptions, deps: Deps): void {
  const match = options.match ?? matchOf(options.name);
  if (options.wholeName !== true && matchedInProfile(app, match)?.found.length) return;
  const { lacks, text } = codeCheck(app, options, deps);
  if (!lacks) return;
  throw new KernloopError(
    'NO_MATCH',
    `${options.name} is not declared: ${text}`,
    'name one that it has; --force declares it all the same, as for code that is loaded while the app runs',
  );
}

/** Refuses an expression that matches several kernels of the last profile: no capture of it would be taken. */
function refuseSeveral(app: App, options: DeclareOptions): void {
  const { name, match = matchOf(name) } = options;
  if (!takesTheFirst(options)) return;
  const { found, all } = matchedInProfile(app, match) ?? { found: [], all: [] };
  if (found.length < 2) return;
  throw new KernloopError(
    'USAGE',
    `${name} is not declared: ${found.length} kernels of the last profile match /${match}/: ${listed(namesOf(found))}`,
    `name one of them: ${found
      .slice(0, mostShown)
      .map((kernel) => `--match '${matchFor(kernel, all)}'`)
      .join(', ')}; each kernel is declared under a name of its own`,
  );
}

/** Whether nothing but the expression says which launch is meant. */
const takesTheFirst = ({ wholeName, each = 'dispatch', ordinal, dispatch, after }: DeclareOptions): boolean =>
  wholeName !== true && each === 'dispatch' && ordinal === 1 && dispatch === undefined && after === undefined;

/** Kernels of the last profile, and those that the expression matches; null without a profile. */
function matchedInProfile(app: App, match: string): { found: LaunchedKernel[]; all: LaunchedKernel[] } | null {
  const all = profiledKernels(app);
  return all && { found: matchedBy(match, all), all };
}

/** Kernels of the last profile; null without one. */
function profiledKernels(app: App): LaunchedKernel[] | null {
  if (!existsSync(app.profile)) return null;
  return readJson(app.profile, profileSchema, 'FILE_UNREADABLE', 'profile the app again').kernels;
}

const namesOf = (kernels: readonly LaunchedKernel[]): string[] => kernels.map(({ name }) => name);

/** Names of the kernels that the last profile saw and the expression matches; warns if there is none. */
function launchedBy(app: App, match: string, deps: Deps): string[] | null {
  const seen = matchedInProfile(app, match);
  if (seen === null) return null;
  const all = namesOf(seen.all);
  if (seen.found.length === 0) {
    deps.report.warn(
      `no kernel of the last profile matches; it saw ${nearest(match, all, 5).join(', ') || all.slice(0, 5).join(', ') || 'none'}`,
    );
  }
  return namesOf(seen.found);
}

/** Says so if the code of the app's program cannot tell of the kernel, and warns if it lacks it. */
function tellOfCode(app: App, options: DeclareOptions, deps: Deps): void {
  const { lacks, text } = codeCheck(app, options, deps);
  if (lacks) deps.report.warn(text);
  else if (text !== '') deps.report.info(text);
}

/**
 * Warns if the code of the app's program has several kernels that the expression matches. It is no error: the app may
 * launch one of them, and only a run tells.
 */
function warnOfSeveral(app: App, options: DeclareOptions, { env, report }: Deps): void {
  const { name, match } = options;
  if (!takesTheFirst(options)) return;
  const carried = carriedBy(app, env);
  const isMeant = (symbol: string): boolean =>
    match === undefined ? functionIn(symbol) === name : new RegExp(match).test(symbol);
  const found = [...new Set(carried?.symbols)].filter(isMeant).sort();
  if (carried === null || found.length < 2) return;
  const one = found.slice(0, mostShown).map((symbol) => `"match": ${JSON.stringify(`^${escaped(symbol)}$`)}`);
  report.warn(
    `the code of ${carried.program} has ${found.length} kernels that match: ${listed(found)}; if the app launches more than one of them, capture refuses it: then the entry of ${name} in kernloop.json needs ${one.join(' or ')}`,
  );
}

/**
 * Looks for a kernel of the given name in the code of the app's program. The text is empty if it is there. If the code
 * cannot be read, only a run shows what is launched.
 */
function codeCheck(app: App, { name, match }: DeclareOptions, deps: Deps): { lacks: boolean; text: string } {
  const carried = carriedBy(app, deps.env);
  const functions = carried?.symbols.map(functionIn);
  if (match === undefined && functions?.includes(name) === true) return { lacks: false, text: '' };
  const folder = app.root === process.cwd() ? '' : ` --app ${relative(process.cwd(), app.root)}`;
  const check = `\`kernloop profile${folder}\` lists what it launches`;
  if (match !== undefined && carried !== null && functions !== undefined && !isAnyMatched(match, carried.symbols)) {
    const names = [...new Set(functions)].sort();
    const close = nearest(match.replaceAll(/[^\w:]+/g, ''), names, mostShown);
    const has = listed(close.length > 0 ? close : names);
    return {
      lacks: true,
      text: `no kernel in ${carried.program} seems to match /${match}/: it has code of ${has}; ${check}`,
    };
  }
  if (match !== undefined || carried === null || functions === undefined)
    return {
      lacks: false,
      text: `not checked: whether ${app.config.name} launches a kernel that this matches; ${check}`,
    };
  const all = [...new Set(functions)].sort();
  const close = nearest(name, all);
  const others =
    close.length > 0 ? `: did you mean ${close.join(', ')}?` : `; it has ${all.slice(0, mostShown).join(', ')};`;
  return { lacks: true, text: `${carried.program} has no kernel called ${name}${others} ${check}` };
}

const mostShown = 5;

/**
 * Whether the expression may be found in the mangled or demangled name of one of the kernels. Their demangled names are
 * not known without a run, so an expression of which a word is part of a function is taken for one that matches.
 */
function isAnyMatched(match: string, symbols: readonly string[]): boolean {
  const pattern = new RegExp(match);
  const words = match.match(/[A-Za-z_]\w*/g) ?? [];
  return symbols.some(
    (symbol) =>
      pattern.test(symbol) ||
      pattern.test(functionIn(symbol)) ||
      words.some((word) => symbol.includes(word) || encoded.test(word)),
  );
}

/** Words of demangled names that mangled ones have as letters. */
const encoded =
  /^(void|bool|char|short|int|long|unsigned|signed|float|double|half|const|volatile|__half|__int128|anonymous|namespace|lambda|operator|std|string|allocator|true|false)$/;
