import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Processes of this user, read from /proc. */
export class ProcessTable {
  constructor(private readonly folder = '/proc') {}

  pids(): number[] {
    try {
      return readdirSync(this.folder)
        .filter((name) => /^\d+$/.test(name))
        .map(Number);
    } catch {
      return [];
    }
  }

  /** Processes started with this variable, or forked from one. */
  withVariable(name: string, value: string): number[] {
    const wanted = `${name}=${value}`;
    return this.pids().filter((pid) => this.environment(pid)?.includes(wanted) && this.isAlive(pid));
  }

  /** Environment at the start of the process; undefined if it is gone or another user's. */
  environment(pid: number): string[] | undefined {
    return this.read(pid, 'environ')?.split('\0');
  }

  /** A zombie counts as ended. */
  isAlive(pid: number): boolean {
    return !/^State:\s+[ZX]/m.test(this.read(pid, 'status') ?? 'State: X');
  }

  command(pid: number): string[] {
    const text = this.read(pid, 'cmdline') ?? '';
    return text.replace(/\0$/, '').split('\0');
  }

  parent(pid: number): number | undefined {
    const match = /^PPid:\s+(\d+)$/m.exec(this.read(pid, 'status') ?? '');
    return match?.[1] === undefined ? undefined : Number(match[1]);
  }

  /** Files that the process has mapped executable. */
  libraries(pid: number): string[] {
    const files = [...(this.read(pid, 'maps') ?? '').matchAll(/^\S+ ..x\S* \S+ \S+ \S+ +(\/.*)$/gm)].map(
      ([, file]) => file ?? '',
    );
    return [...new Set(files)];
  }

  /** The process and its descendants, as far as the parents still exist. */
  descendants(root: number): number[] {
    const parents = new Map(this.pids().map((pid) => [pid, this.parent(pid)]));
    const found = new Set([root]);
    for (let before = 0; before < found.size;) {
      before = found.size;
      for (const [pid, parent] of parents) if (parent !== undefined && found.has(parent)) found.add(pid);
    }
    return [...found].filter((pid) => parents.has(pid));
  }

  private read(pid: number, file: string): string | undefined {
    try {
      return readFileSync(join(this.folder, String(pid), file), 'utf8');
    } catch {
      return undefined;
    }
  }
}
