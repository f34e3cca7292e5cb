import { existsSync, readdirSync, watch as watchFolder, type Dirent, type FSWatcher } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '../deps/deps';
import { stoppable } from '../deps/stoppable';
import { topNames } from '../recompile/current-variant';
import { builtIn } from '../recompile/users-build';
import { reproducerPaths } from '../reproducer/layout';
import { candidateFiles } from '../reproducer/known-variants';
import { openReproducer } from '../reproducer/reproducer';
import { asKernloopError, errorText, isBug, KernloopError, messageOf } from '../support/error';
import { asTyped } from '../support/typed-command';
import { stateOf } from '../support/file-state';

/** A key: judge again, though nothing was saved, or end. */
export type Key = 'again' | 'quit';

export interface WatchDeps {
  /** Judges the text in the folder once. An error ends this round, not the watching. */
  readonly judge: (deps: Deps) => Promise<void>;
  /** Calls `pressed` for every key until the returned function is called. */
  readonly keys: (pressed: (key: Key) => void) => () => void;
}

/** An editor may write a file in several steps. */
const settleMs = 50;

/** Files that editors write beside the one that is edited, and Python beside what it runs. */
const notEdited = /^[.#]|~$|^4913$|^__pycache__$/;

/** Judges a reproducer now, and again whenever a file is saved that could change the verdict, until the user quits. */
export async function watch(folder: string, deps: Deps, { judge, keys }: WatchDeps): Promise<void> {
  const { root } = openReproducer(folder);
  const events = new Events();
  const folders = new WatchedFolders(() => events.add());
  const work = stoppable(deps);
  let isAsked = true;
  let isQuit = deps.signal.aborted;
  const quit = (): void => {
    isQuit = true;
    work.stop();
    events.add();
  };
  const stopKeys = keys((key) => {
    if (key === 'quit') return quit();
    isAsked = true;
    events.add();
  });
  deps.signal.addEventListener('abort', quit, { once: true });
  const files = (): string => filesState(root, folders);
  try {
    let judged = '';
    while (!isQuit) {
      const now = files();
      if (isAsked || now !== judged) {
        [isAsked, judged] = [false, now];
        const error = await failureOf(judge(work.deps));
        // A round whose text has changed meanwhile has nothing to say: the next one follows.
        if (error !== undefined && !isQuit && files() === now) tell(error, deps);
      } else {
        await events.next();
        await events.settle(settleMs);
      }
    }
  } finally {
    deps.signal.removeEventListener('abort', quit);
    stopKeys();
    folders.watch([]);
  }
}

async function failureOf(round: Promise<void>): Promise<KernloopError | undefined> {
  try {
    await round;
    return undefined;
  } catch (error) {
    if (isBug(error)) throw error;
    return asKernloopError(error);
  }
}

const tell = (error: KernloopError, { report }: Deps): void => report.output(asTyped(errorText(error)));

/** State of every file that could change the verdict. Their folders are watched before anything is read. */
function filesState(root: string, folders: WatchedFolders): string {
  if (!existsSync(root)) throw new KernloopError('CONFIG_MISSING', `${root} was removed`, '');
  const outside = Object.keys(builtIn(reproducerPaths(root).variantJson)?.outside ?? {}).map((name) =>
    resolve(root, name),
  );
  const deps = join(root, 'deps');
  folders.watch(
    [...new Set([root, deps, ...foldersBelow(deps), ...outside.map(dirname)])].filter((path) => existsSync(path)),
  );
  const top = [...topNames(root), ...candidateFiles(root)].map((name) => join(root, name));
  const below = [deps, ...foldersBelow(deps)].flatMap(filesIn);
  return [...top, ...below, ...outside]
    .filter((path) => !notEdited.test(path.slice(path.lastIndexOf('/') + 1)))
    .map((path) => `${path} ${stateIfThere(path)}`)
    .sort()
    .join('\n');
}

function foldersBelow(folder: string): string[] {
  const own = entriesIn(folder).filter((entry) => entry.isDirectory());
  return own.map(({ name }) => join(folder, name)).flatMap((path) => [path, ...foldersBelow(path)]);
}

const filesIn = (folder: string): string[] =>
  entriesIn(folder)
    .filter((entry) => !entry.isDirectory())
    .map(({ name }) => join(folder, name));

/** Entries of a folder; none if it was removed a moment ago. */
function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** State of what a link leads to, since that is compiled. */
function stateIfThere(path: string): string {
  try {
    return stateOf(path);
  } catch {
    return 'missing';
  }
}

/** Watches folders one by one: a folder sees a file that an editor puts in the place of another, a watched file does not. */
class WatchedFolders {
  private readonly watchers = new Map<string, FSWatcher>();

  constructor(private readonly changed: () => void) {}

  watch(folders: readonly string[]): void {
    for (const [folder, watcher] of this.watchers) {
      if (folders.includes(folder)) continue;
      watcher.close();
      this.watchers.delete(folder);
    }
    for (const folder of folders) if (!this.watchers.has(folder)) this.add(folder);
  }

  private add(folder: string): void {
    try {
      const watcher = watchFolder(folder, this.changed);
      // A removed folder; its parent reports it as well.
      watcher.on('error', this.changed);
      this.watchers.set(folder, watcher);
    } catch (error) {
      // Linux calls the limit of watches ENOSPC, though no disk is full.
      throw new KernloopError(
        'IO_ERROR',
        `${folder} cannot be watched: ${messageOf(error)}`,
        'raise the limits of the system: `sysctl fs.inotify.max_user_watches fs.inotify.max_user_instances`',
        { cause: error },
      );
    }
  }
}

/** Events as they come: one that comes between two waits is not lost. */
class Events {
  private count = 0;
  private seen = 0;
  private wake = (): void => undefined;

  add(): void {
    this.count += 1;
    this.wake();
  }

  async next(): Promise<void> {
    if (this.count === this.seen) await new Promise<void>((resolve) => (this.wake = resolve));
    this.seen = this.count;
  }

  /** Waits until there is no event for this time. */
  async settle(ms: number): Promise<void> {
    for (let before = -1; before !== this.count;) {
      before = this.count;
      await delay(ms);
    }
    this.seen = this.count;
  }
}
