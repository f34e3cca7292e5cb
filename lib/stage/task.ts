import type { Deps } from '../deps/deps';

/** A stage as a task of Nx, in words that know nothing of Nx: plugins/kernel/targets.ts says them in its own. */
export interface Task<O = Readonly<Record<string, unknown>>, R = unknown> {
  readonly targets: readonly TaskTarget[];
  /** Whether what it gave may be brought back where its inputs are the same. Never for what a user may edit, nor for a time. */
  readonly cache: boolean;
  /** What has to be done before, where there is such a task. */
  readonly after: readonly (OtherTask | TaskOfStage)[];
  /** What decides what it gives, beside its options, the files of no package, and the version of Kernloop. Of cached ones only. */
  readonly inputs: readonly TaskInput[];
  /** What it writes: `{app}`, `{reproducer}` and `{extension}` (of code objects) stand for those of the project. */
  readonly outputs: readonly string[];
  /** There is none where a kernel has no source. */
  readonly needsSource?: boolean;
  /** There is none for an app that names no compile database. */
  readonly needsCommands?: boolean;
  /** Options of the verb that it has not. */
  readonly without?: readonly string[];
  /** Of these, those that must not come from the environment either, and why. */
  readonly refused?: Readonly<Record<string, string>>;
  /** Options that every one of its targets has. */
  readonly fixed?: Readonly<Partial<O>>;
  /** For people who look at the project: options as they are often given. */
  readonly example?: Readonly<Partial<O>>;
  /** What `run` does needs no device, though the verb may. */
  readonly runsHere?: boolean;
  /** Where a task does less than the verb, since the graph did the rest. */
  run?(options: O, deps: Deps): Promise<boolean>;
  /** Whether what it would give is there already. It may be asked for again where only afterwards it is known what it reads. */
  isCurrent?(options: O, deps: Deps): boolean;
  /** Where that is not the same as exit code 0. */
  succeeds?(result: R): boolean;
}

/** One of the project, or one of each kernel that kernloop.json declares, whose name is appended: `capture-saxpy`. */
export interface TaskTarget {
  readonly name: string;
  readonly of: 'project' | 'kernel';
}

/** Tasks that are no stages: the build of the app, and the list of what its command runs. */
export const otherTasks = ['build', 'program'] as const;
export type OtherTask = (typeof otherTasks)[number];

/** The task of another stage for the same kernel; for every kernel, where the target is one of the project. */
interface TaskOfStage {
  readonly stage: string;
}

export type TaskInput =
  /** Files of the app and what its build left. */
  | 'app'
  /** What the command of the app runs, by digest. */
  | 'program'
  /** What kernloop.json says of the kernel. */
  | 'selection'
  /** What of the user's lies in pristine/. */
  | 'pristine'
  /** What other stages left in a reproducer for people to look at: verdicts, measurements, profiles. */
  | 'results'
  /** Captured dispatches, by digest. */
  | 'capture'
  | 'compileCommands'
  /** What the user edits of a reproducer. */
  | 'reproducer'
  /** Code objects that could be judged, whoever built them. */
  | 'codeObjects'
  /** What recompile built. */
  | 'variant'
  /** What the last recompile read, also outside of the reproducer. */
  | 'compiled'
  | 'toolchain'
  /** LLVM 22, the plugin's sources and the device libraries: what PGO builds with. */
  | 'llvm'
  /** The native programs, also those that only a few stages use. */
  | 'native'
  /** The device that the project names, and the native programs that drive it. */
  | 'device'
  /** Whether this workspace has lost chunks that a capture keeps outside of itself. */
  | 'store'
  /** What another task of the same project writes, below its folder. */
  | { readonly written: string }
  /** A variable that is no option. */
  | { readonly variable: string };
