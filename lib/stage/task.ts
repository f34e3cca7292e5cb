import type { Deps } from '../deps/deps';

/** A stage as a task, independent of Nx: plugins/kernel/targets.ts translates it. */
export interface Task<O = Readonly<Record<string, unknown>>, R = unknown> {
  readonly targets: readonly TaskTarget[];
  /**
   * Whether its outputs may be restored if its inputs are the same. Never true if a user may edit them, nor for times.
   */
  readonly cache: boolean;
  /** Tasks that run before, if they exist. */
  readonly after: readonly (OtherTask | TaskOfStage)[];
  /**
   * Inputs that decide the outputs, besides its options, files of no package, and the version of Kernloop. Used only if
   * cached.
   */
  readonly inputs: readonly TaskInput[];
  /** A kernel without a source has no such task. */
  readonly needsSource?: boolean;
  /** An app without a compile database has no such task. */
  readonly needsCommands?: boolean;
  /** Options of the verb that the task does not have. */
  readonly without?: readonly string[];
  /** Options in `without` that must not come from the environment either, with the reason. */
  readonly refused?: Readonly<Record<string, string>>;
  /** Options with the same value in all of its targets. */
  readonly fixed?: Readonly<Partial<O>>;
  /** Typical options, shown to people who look at the project. */
  readonly example?: Readonly<Partial<O>>;
  /** Whether `run` needs no device, though the verb may. */
  readonly runsHere?: boolean;
  /** Runs in place of the verb, if earlier tasks in the graph have done part of its work. */
  run?(options: O, deps: Deps): Promise<boolean>;
  /** Whether its outputs are up to date. It may be checked again if its inputs are known only after a run. */
  isCurrent?(options: O, deps: Deps): boolean;
  /** Whether the result is a success, if that is not the same as exit code 0. */
  succeeds?(result: R): boolean;
}

/**
 * A target of the project, or one for each kernel in kernloop.json, with the kernel's name appended: `capture-saxpy`.
 */
export interface TaskTarget {
  readonly name: string;
  readonly of: 'project' | 'kernel';
}

/** Tasks that are no stages: the build of the app, and the list of files that its command runs. */
export const otherTasks = ['build', 'program'] as const;
export type OtherTask = (typeof otherTasks)[number];

/** Task of another stage for the same kernel; for all kernels if the target belongs to the project. */
interface TaskOfStage {
  readonly stage: string;
}

export type TaskInput =
  /** Files of the app and results of its build. */
  | 'app'
  /** Digests of the files that the app's command runs. */
  | 'program'
  /** Settings of the kernel in kernloop.json. */
  | 'selection'
  /** Files in pristine/ that belong to the user. */
  | 'pristine'
  /** Results of other stages in a reproducer: verdicts, measurements, profiles. */
  | 'results'
  /** Captured dispatches, by digest. */
  | 'capture'
  | 'compileCommands'
  /** Files of a reproducer that the user edits. */
  | 'reproducer'
  /** Code objects that could be judged, built by anyone. */
  | 'codeObjects'
  /** Result of recompile. */
  | 'variant'
  /** Files that the last recompile read, also outside the reproducer. */
  | 'compiled'
  | 'toolchain'
  /** LLVM 22, the plugin's sources and the device libraries, which PGO builds with. */
  | 'llvm'
  /** Native programs, including those that only a few stages use. */
  | 'native'
  /** Device that the project names, and the native programs that drive it. */
  | 'device'
  /** Whether this workspace has lost chunks that a capture keeps outside its folder. */
  | 'store'
  /** Files that another task of the same project writes, below the project's folder. */
  | { readonly written: string }
  /** A variable that is no option. */
  | { readonly variable: string };
