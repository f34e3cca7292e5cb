import type { z } from 'zod';
import type { Deps } from '../deps/deps';
import type { ExitCodeName } from '../support/error-codes';
import type { OptionsSchema } from '../support/options';
import type { Task } from './task';

/**
 * All that is said of one stage of the product. Its verb on the command line, its function of the API, its executor and targets of Nx, and
 * its reference pages come from this. It must load quickly: `--help` reads it, and none of the code that does the work.
 */
export interface Stage<S extends OptionsSchema = OptionsSchema, R = unknown> {
  readonly name: string;
  /** How it is typed where that is not its name: two words, of which the first is a group (`verbGroups` of the registry). */
  readonly verb?: `${string} ${string}`;
  readonly summary: string;
  readonly options: S;
  /** Of what it gives: the type of the API, and what is published for --json. */
  readonly result: z.ZodType<R>;
  /** It starts programs on the device: kernloop.json may send it to a cluster. */
  readonly onDevice?: boolean;
  /** With these options it does not, and stays here. */
  isWithoutDevice?(options: z.output<S>): boolean;
  /** Which project file it starts from; a stage without one takes no options from files. */
  readonly project: 'app' | 'reproducer' | 'none';
  /** Options that name something else to work on: with one of them there is no project, and nothing of its files. */
  readonly projectless?: readonly (keyof z.output<S> & string)[];
  /** Works on the reproducer alone, which may have been moved: kernloop.json of the app is no source of its options. */
  readonly selfContained?: boolean;
  /** The option that words after the verb fill. */
  readonly positional?: keyof z.output<S> & string;
  /** Options that name a file or folder: relative to the workspace in a target, to the working folder on the command line. */
  readonly paths: readonly (keyof z.output<S> & string)[];
  /** It changes no file and no server: agents are told so (`kernloop mcp`). */
  readonly readOnly?: true;
  /** What the exit codes of its results mean; an error has the exit code of its own code. */
  readonly exitCodes: Readonly<Partial<Record<ExitCodeName, string>>>;
  /** Loads the code that does the work when it is called, not before. */
  run(options: z.output<S>, deps: Deps): Promise<R>;
  exitCode(result: R): number;
  /** What it is in the graph of Nx; a verb and a function only, if left out. */
  readonly task?: Task<z.output<S>, R>;
}

export function defineStage<S extends OptionsSchema, R>(definition: Stage<S, R>): Stage<S, R> {
  return definition;
}
