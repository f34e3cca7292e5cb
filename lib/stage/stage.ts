import type { z } from 'zod';
import type { Deps } from '../deps/deps';
import type { ExitCodeName } from '../support/error-codes';
import type { OptionsSchema } from '../support/options';
import type { Task } from './task';
import type { Written } from './writes';

/**
 * Complete description of a stage. Its verb on the command line, function of the API, executor and targets of Nx, and
 * reference pages derive from it. It must load quickly: `--help` loads it, without the code that does the work.
 */
export interface Stage<S extends OptionsSchema = OptionsSchema, R = unknown> {
  readonly name: string;
  /** Verb, if it is not the stage's name: two words, the first of which is a group (`verbGroups` of the registry). */
  readonly verb?: `${string} ${string}`;
  readonly summary: string;
  readonly options: S;
  /** Schema of its result: the type in the API, published for --json. */
  readonly result: z.ZodType<R>;
  /** Whether it starts programs on the device: kernloop.json may send it to a cluster. */
  readonly onDevice?: boolean;
  /** Whether these options need no device, so that the stage runs here. */
  isWithoutDevice?(options: z.output<S>): boolean;
  /** Kind of project file that it starts from; a stage without one takes no options from files. */
  readonly project: 'app' | 'reproducer' | 'either' | 'none';
  /** Descriptors for each kind of project, if it starts from either: see `defineEither`. */
  readonly subjects?: Readonly<Record<'app' | 'reproducer', Stage>>;
  /** Options of the same stage for the other kind of project, which kernloop.json may have as well. */
  readonly ofOther?: readonly string[];
  /** Options that name another subject: with one of them there is no project, and its files are not read. */
  readonly projectless?: readonly (keyof z.output<S> & string)[];
  /** Works on the reproducer alone, which may have been moved: kernloop.json of the app provides no options. */
  readonly selfContained?: boolean;
  /** Option that takes the words after the verb. */
  readonly positional?: keyof z.output<S> & string;
  /**
   * Option that takes the words after `--`: a program and its arguments. In a stage of an app, they stand in for a
   * kernloop.json.
   */
  readonly trailing?: 'command';
  /** Options that name a file or folder: relative to the workspace in a target, to the working folder on the command line. */
  readonly paths: readonly (keyof z.output<S> & string)[];
  /**
   * Files and folders below its project that it writes, and that no user edits. Outputs of its task, lines of
   * .gitignore, sources, and results that the report shows derive from it.
   */
  readonly writes?: readonly Written[];
  /** Changes no file and no server: agents can see this (`kernloop mcp`). */
  readonly readOnly?: true;
  /** Meaning of the exit codes of its results; an error has the exit code of its error code. */
  readonly exitCodes: Readonly<Partial<Record<ExitCodeName, string>>>;
  /** Loads the code that does the work only when it is called. */
  run(options: z.output<S>, deps: Deps): Promise<R>;
  exitCode(result: R): number;
  /** Task in the graph of Nx; without it, the stage is only a verb and a function. */
  readonly task?: Task<z.output<S>, R>;
}

export function defineStage<S extends OptionsSchema, R>(definition: Stage<S, R>): Stage<S, R> {
  return definition;
}
