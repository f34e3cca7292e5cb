import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { systemCode } from './error';

/** Where something is made before it takes its place: machines and containers that share the folder keep apart. */
export function partialOf(path: string): string {
  return `${path}.partial-${hostname()}-${process.pid}`;
}

/** What killed runs could not remove themselves: partials of this machine's processes that are no more. */
export function removeDeadPartials(path: string): void {
  const folder = dirname(path);
  if (!existsSync(folder)) return;
  const prefix = `${basename(path)}.partial-${hostname()}-`;
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : NaN;
    if (Number.isInteger(pid) && !isRunning(pid)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/**
 * The same of everything that stages make in a folder, with what compilers write beside it (`.d`, `.overlay.json`), but for names in `others`, whose
 * own stages know what to do with them.
 */
export function removeAllDeadPartials(folder: string, others: readonly string[] = []): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const [path, rest] = split(name, `.partial-${hostname()}-`);
    // No digit and no dash behind the number: the host `gpu-100.a` is not the process 100 of the host `gpu`.
    const pid = Number(/^(\d+)(?:\.[a-z]+)*$/.exec(rest)?.[1]);
    if (path === '' || others.includes(path) || !Number.isInteger(pid) || isRunning(pid)) continue;
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function split(text: string, by: string): [before: string, after: string] {
  const at = text.lastIndexOf(by);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + by.length)];
}

/** The same of folders of mkdtemp that are called so: `<start><host>-<pid>-<six characters>`. What others own, or write to, is theirs to remove. */
export function removeDeadFolders(parent: string, start: string): void {
  if (!existsSync(parent)) return;
  const prefix = `${start}${hostname()}-`;
  for (const name of readdirSync(parent)) {
    // All of it: the host `gpu-100` is not the process 100 of the host `gpu`.
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
 * The same of folders in a place that machines and containers may share, where a number of a process says nothing: ours that nothing was
 * written to for a day.
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
