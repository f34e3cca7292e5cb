import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { writeFileAtomic } from './files';
import { partialOf, removeAllDeadPartials, removeDeadFolders, removeDeadPartials, removeOldFolders } from './leftovers';

describe('what killed runs left', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kernloop-leftovers-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const left = (): string[] => readdirSync(folder).sort();

  it('is told from the folder of a host whose name goes on with a number', () => {
    const ended = spawnSync('true').pid;
    const dead = `job-${hostname()}-${ended}-AbC123`;
    // Folders of this process, on the host of that longer name.
    const kept = [`job-${hostname()}-${ended}-${process.pid}-AbC123`, `job-${hostname()}-${process.pid}-AbC123`];
    for (const name of [dead, ...kept]) mkdirSync(join(folder, name));
    removeDeadFolders(folder, 'job-');
    expect(left()).toEqual(kept.sort());
  });

  it('goes where its process has ended, and nothing else does', () => {
    const ended = spawnSync('true').pid;
    const kept = [
      'capture',
      basename(partialOf(join(folder, 'capture'))),
      'capture.partial-mine',
      `other.partial-${hostname()}-${ended}`,
      // Names of another machine, or without a valid process number.
      `capture.partial-another-machine-${ended}`,
      `capture.partial-${ended}`,
      'capture.partial-',
    ];
    for (const name of [...kept, `capture.partial-${hostname()}-${ended}`]) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'file'), '');
    }
    removeDeadPartials(join(folder, 'capture'));
    expect(left()).toEqual([...kept].sort());
    expect(() => removeDeadPartials(join(folder, 'none', 'capture'))).not.toThrow();
  });

  it('goes under whatever name, with what compilers wrote beside it', () => {
    const ended = spawnSync('true').pid;
    const dead = ['pristine', 'variant.hsaco', 'report.json'].map((name) => `${name}.partial-${hostname()}-${ended}`);
    const beside = ['.d', '.overlay.json', '.one.ll'].map(
      (end) => `variant.hsaco.partial-${hostname()}-${ended}${end}`,
    );
    const kept = [
      basename(partialOf('pristine')),
      `${basename(partialOf('variant.hsaco'))}.d`,
      // Names of another machine whose name starts like this one's.
      `variant.hsaco.partial-${hostname()}-${ended}-7`,
      `variant.hsaco.partial-${hostname()}-${ended}.lab-7`,
      `pristine.partial-another-machine-${ended}`,
      `capture.partial-${hostname()}-${ended}`,
      `.partial-${hostname()}-${ended}`,
      'notes.partial-draft',
    ];
    for (const name of [...dead, ...beside, ...kept]) writeFileSync(join(folder, name), '');
    removeAllDeadPartials(folder, ['capture']);
    expect(left()).toEqual([...kept].sort());
    expect(() => removeAllDeadPartials(join(folder, 'none'))).not.toThrow();
  });

  it('is no file of another machine with a process of this number', () => {
    const path = join(folder, 'digests.json');
    // Unfinished partial of the other machine's process.
    const theirs = `${path}.partial-${process.pid}`;
    mkdirSync(theirs);
    writeFileAtomic(path, 'ours');
    expect([readFileSync(path, 'utf8'), left()]).toEqual(['ours', ['digests.json', basename(theirs)]]);
  });

  it('has its name from one place, with the machine in it', () => {
    const root = join(__dirname, '..', '..');
    const spelt = ['cli', 'executors', 'generators', 'lib', 'plugins']
      .flatMap((room) =>
        readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((name) => join(room, name)),
      )
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
      .filter((name) => /[.-]\$\{process\.pid\}/.test(readFileSync(join(root, name), 'utf8')));
    // slurm/exchange.ts passes mkdtemp a prefix with the machine in it.
    expect(spelt).toEqual(['lib/slurm/exchange.ts', 'lib/support/leftovers.ts']);
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
