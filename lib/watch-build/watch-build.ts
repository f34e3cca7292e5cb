import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { openApp, type App } from '../app/app';
import { buildApp } from '../app/build';
import { cleanBuild } from '../app/clean-build';
import { watchedDatabase } from '../app/compile-database';
import type { Deps } from '../deps/deps';
import { builtNative } from '../deps/built-native';
import { nativeRemedy } from '../native/native-package';
import { commandText } from '../support/command-text';
import { KernloopError } from '../support/error';
import { writeJson } from '../support/files';
import { readCompileDatabase } from '../toolchain/compile-database';
import { dialects } from '../toolchain/dialects';
import {
  databaseEntries,
  readWatchedCommand,
  type DatabaseEntry,
  type WatchedCommand,
} from '../toolchain/watched-command';
import type { WatchBuildOptions } from './options';
import type { WatchBuildResult } from './result';

/**
 * Runs the build of an app with a library in each of its processes that records the compilers started and their
 * arguments. The records are kept even if the build fails: files already built are not compiled again, and so not
 * recorded a second time.
 */
export async function watchBuild(options: WatchBuildOptions, deps: Deps): Promise<WatchBuildResult> {
  const app = openApp(options.app);
  const build = options.command.length > 0 ? { command: options.command, outputs: [] } : app.config.build;
  if (build === undefined) {
    throw new KernloopError(
      'USAGE',
      `${app.config.name} declares no build, and no command was given`,
      'say what builds it: `kernloop watch-build -- make -j8`, or "build" in kernloop.json',
    );
  }
  return await watchAppBuild(app, build, deps);
}

/** Runs this build of the app, watched. */
export async function watchAppBuild(
  app: App,
  build: NonNullable<App['config']['build']>,
  deps: Deps,
): Promise<WatchBuildResult> {
  const watch = await builtNative('watch', deps);
  if (!existsSync(watch)) throw new KernloopError('ENVIRONMENT_NATIVE_MISSING', `${watch} not found`, nativeRemedy());
  const folder = mkdtempSync(join(tmpdir(), 'kernloop-watch-'));
  let found: Found | undefined;
  try {
    try {
      const env = { ...app.config.env, ...watching(folder, { ...deps.env, ...app.config.env }, deps) };
      await buildApp({ ...app, config: { ...app.config, build, env } }, deps);
    } finally {
      found = keep(app, commandsIn(folder), deps);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return describe(app, build.command, found, deps);
}

/** LD_PRELOAD cannot name a path with a colon or a space, so the library is copied beside the records. */
function watching(folder: string, env: Deps['env'], { native }: Pick<Deps, 'native'>): Record<string, string> {
  const library = join(folder, basename(native.watch));
  if (/[:\s]/.test(library)) {
    throw new KernloopError(
      'USAGE',
      `the folder for temporary files, ${tmpdir()}, has a space or a colon in its name, which the loader cannot be told`,
      'name another one with TMPDIR',
    );
  }
  copyFileSync(native.watch, library);
  return {
    LD_PRELOAD: [library, env['LD_PRELOAD'] ?? ''].filter((path) => path !== '').join(':'),
    KERNLOOP_WATCH_DIR: folder,
    // Programs that the build links with the address sanitizer and runs require its library to be the first.
    ASAN_OPTIONS: [env['ASAN_OPTIONS'] ?? '', 'verify_asan_link_order=0'].filter((text) => text !== '').join(':'),
  };
}

/** Commands in the order in which they started. */
function commandsIn(folder: string): WatchedCommand[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.command'))
    .sort()
    .map((name) => readWatchedCommand(readFileSync(join(folder, name), 'utf8')))
    .filter((command) => command !== null);
}

interface Found {
  compiled: number;
  kept: number;
  device_units: number;
}

/** Writes the commands, merged with those of earlier builds. Undefined if there are none. */
function keep(app: App, commands: readonly WatchedCommand[], deps: Deps): Found | undefined {
  const path = join(app.root, watchedDatabase);
  warnOfVariables(app, commands, deps);
  const seen = new Map(commands.flatMap((command) => entriesOf(command, deps)).map((entry) => [keyOf(entry), entry]));
  const earlier = earlierEntries(path).filter((entry) => !seen.has(keyOf(entry)) && existsSync(entry.file));
  const entries = [...earlier, ...seen.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  if (entries.length === 0) return undefined;
  writeJson(path, entries);
  const units = readCompileDatabase(path).filter((command) =>
    Object.values(dialects).some((dialect) => dialect.read(command, app.config.env) !== null),
  );
  return { compiled: seen.size, kept: earlier.length, device_units: units.length };
}

/** An unreadable command (a response file that is gone, and was too large to keep) does not affect others. */
function entriesOf(command: WatchedCommand, deps: Deps): DatabaseEntry[] {
  try {
    return databaseEntries(command);
  } catch (error) {
    if (!(error instanceof KernloopError)) throw error;
    deps.report.warn(`${command.words.slice(0, 8).join(' ')} is left out: ${error.what}`);
    return [];
  }
}

/** Key of an entry: one file may be compiled to several outputs. */
function keyOf({ file, output }: DatabaseEntry): string {
  return `${file}\0${output}`;
}

function earlierEntries(path: string): DatabaseEntry[] {
  if (!existsSync(path)) return [];
  return readCompileDatabase(path).map(({ directory, file, compiler, args, output }) => ({
    ...{ directory, file, output },
    arguments: [compiler, ...args],
  }));
}

/** Warns of variables that only the build sets. */
function warnOfVariables(app: App, commands: readonly WatchedCommand[], deps: Deps): void {
  const told = new Set<string>();
  for (const { variables } of commands) {
    for (const [name, value] of Object.entries(variables)) {
      if (told.has(name) || value === '' || app.config.env[name] === value) continue;
      told.add(name);
      deps.report.warn(
        `the compiler was given ${name}=${value} by the environment, which is no part of its command: ` +
          `if the code depends on it, put it into "env" of ${relative(app.workspaceRoot, app.root) || '.'}/kernloop.json`,
      );
    }
  }
}

/** Commands that compile what is built already, in the words of its build tool. */
function compileAgain(app: App, command: readonly string[]): string {
  const again = cleanBuild(command);
  if (again === null)
    return 'if it is built already, remove what it built, so that the build compiles it, and run the command again';
  const isDeclared = again.build.join('\0') === app.config.build?.command.join('\0');
  const watched = `kernloop watch-build${isDeclared ? '' : ` -- ${commandText(again.build)}`}`;
  const where = app.root === process.cwd() ? '' : ` in ${relative(process.cwd(), app.root)}`;
  const before = again.clean === null ? '' : `\`${again.clean}\`, then `;
  return `if it is built already, have it compiled again${where}: ${before}\`${watched}\``;
}

function describe(app: App, command: readonly string[], found: Found | undefined, deps: Deps): WatchBuildResult {
  const { name } = app.config;
  if (found === undefined) {
    throw new KernloopError(
      'BUILD_NOT_SEEN',
      `no compiler of device code was seen in \`${command.join(' ')}\``,
      `${compileAgain(app, command)}; a compiler that a server starts (sccache, bazel), or in a container, is not seen: build once without`,
    );
  }
  const { compiled, kept, device_units: deviceUnits } = found;
  if (compiled === 0) deps.report.warn('nothing was compiled: the app was built already; what is known is kept');
  if (deviceUnits === 0) deps.report.warn('none of the files that were compiled has device code');
  const before = kept > 0 ? ` and ${kept} of earlier builds` : '';
  deps.report.result(`${name}: ${watchedDatabase}: ${compiled} compilations${before}, ${deviceUnits} with device code`);
  return { app: name, database: join(app.root, watchedDatabase), ...found };
}
