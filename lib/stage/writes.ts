import rows from './written-files.json';

/** A file or folder that a stage writes, and that no user edits. */
export interface Written {
  /**
   * Below `{reproducer}` or `{app}`. A folder ends with `/`; `*` stands for a name, `{extension}` for that of code
   * objects.
   */
  readonly path: string;
  /** Results in it for the report of a reproducer: patterns relative to the reproducer. */
  readonly results?: readonly string[];
  /** Belongs into git, because no stage can write it again. */
  readonly committed?: true;
  /** Decides other stages as sources do: `recompile` reads it. */
  readonly source?: true;
  /** The cache of tasks does not bring it back. */
  readonly restored?: false;
}

interface WrittenByStage extends Written {
  readonly stage: string;
}

/** Written files of all stages, in the order of the registry. Generated, so that lower rooms load no descriptor. */
const written = rows as readonly WrittenByStage[];

/** Paths relative to the reproducer. */
const below = <W extends Written>(writes: readonly W[]): W[] =>
  writes.flatMap((row) => {
    const path = /^\{reproducer\}\/(.+)$/.exec(row.path)?.[1];
    return path === undefined ? [] : [{ ...row, path }];
  });

const inReproducer = below(written);

/** Names of files and folders directly in a reproducer that hold what stages write; those of folders end with `/`. */
function topsOf(chosen: readonly Written[]): string[] {
  return [...new Set(chosen.map(({ path }) => path.replace(/\/.*$/, '/')))];
}

/** Files of a reproducer that only people read. */
const readByPeople = ['README.md', 'Makefile'];

/** Names in a reproducer of files and folders that hold no source to compile. */
export const notSources: ReadonlySet<string> = new Set(
  [...topsOf(inReproducer), ...readByPeople].map((name) => name.replace(/\/$/, '')),
);

/** Patterns of files in a reproducer that no user edits, and that are no input of a stage as such. */
export const noInputs: readonly string[] = [
  ...topsOf(inReproducer.filter(({ source }) => source !== true)),
  ...readByPeople,
].map((name) => name.replace(/\/$/, '/**/*'));

/** Names in a reproducer that nobody commits. */
export const notCommittedOf = (writes: readonly Written[]): string[] =>
  topsOf(below(writes).filter(({ committed }) => committed !== true));

export const notCommitted: readonly string[] = notCommittedOf(written);

/** Patterns of results in a reproducer, from any stage and any outcome. */
export const resultFiles: readonly string[] = [...new Set(inReproducer.flatMap(({ results = [] }) => results))];

/** Whether a stage writes the path below build/, a folder that the user shares with stages. `path`: relative to the reproducer. */
export function isWritten(path: string): boolean {
  return inReproducer.some(({ path: each }) => path.startsWith(each.replace(/\{extension\}$/, '')));
}

/**
 * Folders of a reproducer with temporary files of killed runs. Those beside a capture are removed by the recorder that
 * holds its lock.
 */
export const foldersWithLeftovers: readonly string[] = [
  ...new Set(
    inReproducer
      .filter(({ stage, path }) => stage !== 'capture' && !path.includes('*'))
      .map(({ path }) => path.replace(/\/$/, '').split('/').slice(0, -1).join('/')),
  ),
];

/** Outputs of a cached task: what the cache brings back. */
export const outputsOf = (writes: readonly Written[]): string[] =>
  writes.filter(({ restored }) => restored !== false).map(({ path }) => path.replace(/\/$/, ''));
