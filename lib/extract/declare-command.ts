import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { appAt, isDeclared, nameOfCommand, otherApp, softgpuOptions } from '../app/command-app';
import { appFrom, withCommas, type App } from '../app/app';
import { buildApp } from '../app/build';
import { watchedDatabase } from '../app/compile-database';
import { rewriteKernloopJson, withKernel, type DeclaredKernel } from '../app/declare-kernel';
import { findProgram } from '../app/program';
import { describeApp } from '../app/describe-app';
import { kernloopJsonSchema } from '../app/kernloop-json';
import { refuseTwin } from '../app/refuse-twin';
import { filesOnDisk } from '../app/workspace-files';
import type { Deps } from '../deps/deps';
import { launchedBy, type Launched } from '../profile/launched-by';
import {
  declarationOf,
  entryFor,
  isOfApp,
  kernelNamed,
  nameOf,
  type LaunchedKernel,
} from '../profile/launched-kernels';
import { timeHint } from '../profile/observe';
import { profileFormat } from '../profile/profile';
import { appFailed, type FailedRun } from '../recorder/app-failed';
import { commandText } from '../support/command-text';
import { KernloopError } from '../support/error';
import { describeEnd } from '../support/ndjson';
import { jsonText } from '../support/files';
import { writeOwnJson } from '../support/output-file';
import { kernloopFile } from '../support/project-file-names';
import { parseJson, readText } from '../support/schema';
import { watchAppBuild } from '../watch-build/watch-build';
import type { ExtractOptions } from './options';

/**
 * Declares a command, and the kernels of it that are asked for, in the kernloop.json of its folder; returns options
 * with the names of these kernels. One run of the command shows which kernels it launches. Nothing is written before.
 */
export async function declareCommand(options: ExtractOptions, deps: Deps): Promise<ExtractOptions> {
  requireOwnCommand(options, deps.env);
  const root = resolve(options.app);
  const declared = isDeclared(options) ? appAt(options, deps.env) : undefined;
  const file = join(root, kernloopFile);
  const text = declared ? readText(file, 'CONFIG_MISSING', '') : jsonText(await describe(options, deps));
  const app = declared ?? appFrom(root, parseJson(file, text, kernloopJsonSchema));
  if (!declared) refuseTwin(app.workspaceRoot, root, app.config.name);
  await buildIfMissing(app, options, deps);
  // The command is run as it is: a build in between might change it.
  const done = { ...options, app: root, command: [], build: false };
  const asked = withCommas(options.kernel);
  const isKnown = (kernel: string): boolean => app.config.kernels.some(({ name }) => name === kernel);
  if (asked.length > 0 && asked.every(isKnown)) return { ...done, kernel: asked };
  const launched = await launchedBy(app, options, deps);
  const { kernels, profile, failed, fault } = launched;
  const chosen = asked.length > 0 ? asked.map((kernel) => kernelIn(launched, kernel)) : [costliest(launched, deps)];
  if (failed) {
    const found = chosen.map(({ name }) => name).join(', ');
    const [end] = (fault?.error.what ?? describeEnd(failed.command, failed.appEnd)).split(':\n');
    deps.report.warn(`${failed.app} failed after it launched ${found}: ${end}; extracting goes on`);
  }
  const names: string[] = [];
  const isWritten = await rewriteKernloopJson(file, deps, () => {
    // Another command may have written the file since it was read.
    requireOwnCommand(options, deps.env);
    const before = existsSync(file) ? readText(file, 'CONFIG_MISSING', '') : undefined;
    let after = before ?? text;
    for (const kernel of new Set(chosen)) {
      const now = parseJson(file, after, kernloopJsonSchema).kernels;
      const entry: DeclaredKernel = declarationOf(kernel, kernels, now) ?? entryFor(kernel, kernels, now);
      names.push(entry.name);
      if (!now.some(({ name }) => name === entry.name)) after = withKernel(after, entry);
    }
    return after === before ? undefined : after;
  });
  // It names the other kernels when one of them is asked for by a name that is not declared.
  if (profile && !existsSync(app.profile)) writeOwnJson(app.profile, profile, profileFormat);
  if (isWritten) {
    deps.report.info(
      `${relative(process.cwd(), file)} declares the app ${app.config.name} and its ${names.length === 1 ? 'kernel' : 'kernels'} ${names.join(', ')}: every other verb finds them there`,
    );
  }
  return { ...done, kernel: names };
}

/** Refuses a folder whose kernloop.json runs another command: captures of both would be taken for one app's. */
function requireOwnCommand(options: ExtractOptions, env: Deps['env']): void {
  const other = otherApp(options);
  if (other === undefined) return;
  // A mistyped program is no other program.
  findProgram(appAt(options, env), env);
  throw new KernloopError(
    'APP_CONFLICT',
    `${join(other.root, kernloopFile)} runs \`${commandText(other.config.command)}\`, not \`${commandText(options.command)}\``,
    'leave the command out to extract from that one, change "command" there, or name another folder with --app',
  );
}

function describe(options: ExtractOptions, deps: Deps): Promise<object> {
  const root = resolve(options.app);
  const { workspaceRoot } = appAt(options, deps.env);
  const more = options.device === 'softgpu' ? softgpuOptions(options.softgpu) : {};
  return describeApp(
    filesOnDisk(workspaceRoot),
    relative(workspaceRoot, root) || '.',
    {
      name: nameOfCommand(options.command),
      command: options.command,
      device: options.device,
      ...(Object.keys(more).length > 0 ? { options: more } : {}),
    },
    {
      // Without a compile database, generate says what is missing, if it needs it.
      report: { info: () => undefined, warn: () => undefined },
      watchBuild: '',
      help: 'see kernloop extract --help',
      isInstalled: false,
    },
  );
}

/** Builds a program that does not exist yet, if its folder shows how; the build is watched where that tells more. */
async function buildIfMissing(app: App, options: ExtractOptions, deps: Deps): Promise<void> {
  const { build, command, compileCommands } = app.config;
  const [program = ''] = command;
  if (build === undefined || !options.build || !program.includes('/') || existsSync(resolve(app.cwd, program))) return;
  if (compileCommands === watchedDatabase) await watchAppBuild(app, build, deps);
  else await buildApp(app, deps);
}

/** The launched kernel that a user means. If the app failed, that is the reason why there is none. */
function kernelIn({ kernels, failed, fault }: Launched, asked: string): LaunchedKernel {
  try {
    const kernel = kernelNamed(asked, kernels);
    // Without its name, any kernel may be the one that faulted.
    if (fault && (fault.symbol ?? kernel.symbol) === kernel.symbol) throw fault.error;
    return kernel;
  } catch (error) {
    if (!failed || !(error instanceof KernloopError) || error.code !== 'NO_MATCH') throw error;
    // A name that is close to one that was launched is mistyped, whatever came then.
    if (error.hint.includes('did you mean'))
      throw new KernloopError(
        error.code,
        `${error.what}; ${appFailed(' after these launches', failed, '').what}`,
        error.hint,
      );
    throw failedBefore(failed, `it launched a kernel that matches "${asked}"`, kernels.length > 0 ? error.hint : '');
  }
}

/** Kernels that the HIP runtime launches by itself have no source, and are not chosen. */
function costliest({ kernels, profile, failed, fault }: Launched, deps: Deps): LaunchedKernel {
  if (fault) throw fault.error;
  const ofApp = kernels.filter(isOfApp);
  if (failed && ofApp.length === 0) throw failedBefore(failed, 'it launched a kernel', '');
  if (failed && profile === null) {
    const named = ofApp.map((kernel) => `-k ${commandText([nameOf(kernel, kernels)])}`).slice(0, 5);
    throw failedBefore(
      failed,
      'the costliest of its kernels was known',
      `name one that it launched: ${named.join(', ')}`,
    );
  }
  const kernel = profile?.kernels.find(isOfApp) ?? profile?.kernels[0];
  if (kernel === undefined) throw new KernloopError('NO_DISPATCH', 'no kernel was launched', 'see `kernloop profile`');
  deps.report.info(
    `no kernel was named: ${kernel.name} is the costliest, with ${(kernel.share * 100).toFixed(1)} % of the work; -k chooses another`,
  );
  return kernel;
}

function failedBefore(run: FailedRun, what: string, more: string): KernloopError {
  const { code, what: text, hint } = appFailed(` before ${what}`, run, timeHint);
  return new KernloopError(code, text, more === '' ? hint : `${hint}; ${more}`);
}
