import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { removeDeadPartials, removeOldFolders } from './leftovers';

describe('what killed runs left', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kernloop-leftovers-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const left = (): string[] => readdirSync(folder).sort();

  it('goes where its process has ended, and nothing else does', () => {
    const ended = spawnSync('true').pid;
    const kept = [
      'capture',
      `capture.partial-${process.pid}`,
      'capture.partial-mine',
      `other.partial-${ended}`,
      // Another machine's, or nobody's: no number of a process.
      'capture.partial-',
    ];
    for (const name of [...kept, `capture.partial-${ended}`]) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'file'), '');
    }
    removeDeadPartials(join(folder, 'capture'));
    expect(left()).toEqual([...kept].sort());
    expect(() => removeDeadPartials(join(folder, 'none', 'capture'))).not.toThrow();
  });

  it('goes after a day without a write where processes are not known', () => {
    const now = new Date('2026-11-22T12:00:00Z');
    const hours = (count: number): Date => new Date(now.getTime() - count * 3600 * 1000);
    for (const [name, at] of [
      ['ours-old', hours(25)],
      ['ours-at-work', hours(23)],
      ['theirs', hours(25)],
    ] as const) {
      mkdirSync(join(folder, name));
      utimesSync(join(folder, name), at, at);
    }
    removeOldFolders(folder, 'ours-', now);
    expect(left()).toEqual(['ours-at-work', 'theirs']);
  });
});
