import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { systemCode } from './error';

/** Temporary path that is renamed at the end; it keeps machines and containers that share the folder apart. */
export function partialOf(path: string): string {
  return `${path}.partial-${hostname()}-${process.pid}`;
}

/** Fills a new folder, which then replaces the one at the path. If the work fails, the one of before stays. */
export async function replaceFolder<T>(path: string, fill: (folder: string) => Promise<T>): Promise<T> {
  const partial = partialOf(path);
  try {
    mkdirSync(partial, { recursive: true });
    const value = await fill(partial);
    rmSync(path, { recursive: true, force: true });
    renameSync(partial, path);
    return value;
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** Partials of a path that killed runs on this machine left. */
export function deadPartials(path: string): string[] {
  const folder = dirname(path);
  if (!existsSync(folder)) return [];
  const prefix = `${basename(path)}.partial-${hostname()}-`;
  const isDead = (name: string): boolean => {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : NaN;
    return Number.isInteger(pid) && !isRunning(pid);
  };
  return readdirSync(folder)
    .filter(isDead)
    .map((name) => join(folder, name));
}

export function removeDeadPartials(path: string): void {
  for (const partial of deadPartials(path)) rmSync(partial, { recursive: true, force: true });
}

/**
 * Removes partials of everything in a folder, including files that compilers write beside them (`.d`, `.overlay.json`),
 * except names in `others`, whose own stages handle them.
 */
export function removeAllDeadPartials(folder: string, others: readonly string[] = []): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const [path, rest] = split(name, `.partial-${hostname()}-`);
    // Allows no digit or dash after the number: host `gpu-100.a` must not be taken for process 100 of host `gpu`.
    const pid = Number(/^(\d+)(?:\.[a-z]+)*$/.exec(rest)?.[1]);
    if (path === '' || others.includes(path) || !Number.isInteger(pid) || isRunning(pid)) continue;
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function split(text: string, by: string): [before: string, after: string] {
  const at = text.lastIndexOf(by);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + by.length)];
}

/**
 * Removes mkdtemp folders named `<start><host>-<pid>-<six characters>` of ended processes. Folders that cannot be
 * removed belong to other users and stay.
 */
export function removeDeadFolders(parent: string, start: string): void {
  if (!existsSync(parent)) return;
  const prefix = `${start}${hostname()}-`;
  for (const name of readdirSync(parent)) {
    // Matches the whole rest: host `gpu-100` must not be taken for process 100 of host `gpu`.
    const pid = name.startsWith(prefix) ? Number(/^(\d+)-[A-Za-z0-9]{6}$/.exec(name.slice(prefix.length))?.[1]) : NaN;
    if (!Number.isInteger(pid) || isRunning(pid)) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
    }
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}

const dayMs = 24 * 3600 * 1000;

/**
 * Removes this user's folders that nothing was written to for a day, in a place that machines and containers may share,
 * where process numbers mean nothing.
 */
export function removeOldFolders(parent: string, prefix: string, now: Date): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(parent, name);
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status === undefined || status.uid !== process.getuid?.() || now.getTime() - status.mtimeMs < dayMs) continue;
    rmSync(path, { recursive: true, force: true });
  }
}
