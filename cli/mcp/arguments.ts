import { existsSync, readlinkSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import type { z } from 'zod';
import { subjectOf } from '../../lib/stage/either';
import type { Stage } from '../../lib/stage/stage';
import { KernloopError, closest } from '../../lib/support/error';
import { isInside } from '../../lib/support/files';
import { optionInfos, type OptionInfo } from '../../lib/support/options';
import { kernelFile, kernloopFile } from '../../lib/support/project-file-names';
import { describeIssues } from '../../lib/support/schema';
import { findUpward } from '../../lib/support/workspace-root';

/** Folders that tools may read and write. */
export interface Bounds {
  readonly workspace: string;
  /** Whether paths outside the workspace are allowed, too. */
  readonly outside: boolean;
}

/** Arguments of a tool call as words of the command line. Invalid ones are refused before anything starts. */
export function wordsOf(stage: Stage, given: Readonly<Record<string, unknown>>, bounds: Bounds): string[] {
  const infos = optionInfos(stage.options);
  const shape = stage.options.shape as Readonly<Record<string, z.ZodType>>;
  return Object.entries(given).flatMap(([name, value]) => {
    const info = infos.find((each) => each.name === name);
    if (!info) throw unknownOption(stage.name, name, infos);
    const parsed = shape[name]?.safeParse(value, { reportInput: true });
    if (parsed && !parsed.success) {
      throw new KernloopError('USAGE', `${name}: ${describeIssues(parsed.error)}`, schemaHint(stage.name));
    }
    requireInside(stage, name, value, given, bounds);
    return flagOf(info, value);
  });
}

const schemaHint = (stage: string): string => `the resource kernloop-tool://${stage} has the complete input schema`;

function unknownOption(stage: string, name: string, infos: readonly OptionInfo[]): KernloopError {
  const [suggestion] = closest(
    name,
    infos.map((each) => each.name),
    1,
  );
  return new KernloopError(
    'USAGE',
    `${stage} has no option "${name}"${suggestion === undefined ? '' : ` (did you mean "${suggestion}"?)`}`,
    schemaHint(stage),
  );
}

function flagOf({ name, flag, type }: OptionInfo, value: unknown): string[] {
  if (type === 'boolean') return [value === true ? flag : `--no-${flag.slice(2)}`];
  if (type !== 'array') return [`${flag}=${String(value)}`];
  if (!Array.isArray(value) || value.length === 0) {
    throw new KernloopError('USAGE', `${name}: the list is empty`, 'leave the option out');
  }
  return [`${flag}=${JSON.stringify(value.map(String))}`];
}

/** Words for a shell or a build are not paths that Kernloop opens. */
const commands = ['command'];

/** Refuses paths out of the workspace, and text that would lead there as a path, through `..` or a link. */
function requireInside(
  stage: Stage,
  option: string,
  value: unknown,
  given: Readonly<Record<string, unknown>>,
  { workspace, outside }: Bounds,
): void {
  if (outside || commands.includes(option)) return;
  const root = followed(workspace);
  for (const text of Array.isArray(value) ? (value as unknown[]) : [value]) {
    if (typeof text !== 'string') continue;
    const where = `${stage.name}: ${option}: "${text}"`;
    if (text.includes('\0')) throw new KernloopError('USAGE', `${where} has a NUL in it`, 'give a path');
    // pgo-merge takes a weight after a path.
    for (const path of [text, text.replace(/,\d+$/, '')]) {
      const base = baseOf(stage, option, path, given, workspace);
      // Stages resolve `..` in the text, and the system resolves it after links.
      const places = [resolve(base, path), isAbsolute(path) ? path : `${base}/${path}`];
      if (!places.every((place) => isInside(root, followed(place)))) throw outsideError(where, workspace);
    }
  }
}

/**
 * Folder that a path is relative to. Options that are no plain paths, like `variant`, are relative to the project;
 * `probe` is also looked up in the working folder.
 */
function baseOf(
  { paths, project }: Stage,
  option: string,
  path: string,
  given: Readonly<Record<string, unknown>>,
  workspace: string,
): string {
  if (paths.includes(option)) return workspace;
  const own = projectFolder(project, given, workspace);
  return !existsSync(resolve(own, path)) && existsSync(resolve(workspace, path)) ? workspace : own;
}

export function outsideError(where: string, workspace: string): KernloopError {
  return new KernloopError(
    'PATH_OUTSIDE',
    `${where} lies outside of the workspace ${workspace}`,
    'use a path inside the workspace; `kernloop mcp --allow-outside` takes others',
  );
}

/** Folder that the stage will use: the one with the project file, from the given one upward. */
function projectFolder(project: Stage['project'], given: Readonly<Record<string, unknown>>, workspace: string): string {
  const kind = project === 'either' ? subjectOf(given) : project;
  const folder = kind === 'none' ? undefined : given[kind];
  const from = resolve(workspace, typeof folder === 'string' ? folder : '.');
  return findUpward(from, kind === 'app' ? kernloopFile : kernelFile) ?? from;
}

/** Linux's own limit of links in a path. */
const mostLinks = 40;

/**
 * Target of an absolute path after all links, part by part like Linux, even if its last parts do not exist yet: a write
 * through a dangling link creates the link's target.
 */
export function followed(path: string): string {
  const parts = path.split('/');
  let reached = '/';
  let links = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const next = join(reached, part);
    const target = linkAt(next);
    if (target === undefined) {
      reached = next;
      continue;
    }
    links += 1;
    if (links > mostLinks) throw new KernloopError('USAGE', `${path} is a link that leads to itself`, 'give a path');
    if (isAbsolute(target)) reached = '/';
    parts.unshift(...target.split('/'));
  }
  return reached;
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // Not a link, or nonexistent.
    return undefined;
  }
}
