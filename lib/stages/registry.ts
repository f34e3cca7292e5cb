import type { z } from 'zod';
import { capture } from '../capture/capture';
import { captureResultSchema } from '../capture/result';
import { doctorResultSchema } from '../doctor/check';
import { runDoctor } from '../doctor/doctor';
import { doctorOptionsSchema } from '../doctor/options';
import { profile } from '../profile/profile';
import { generate } from '../generate/generate';
import { adopt } from '../extract/adopt';
import { extract } from '../extract/extract';
import { adoptResultSchema, extractResultSchema } from '../extract/result';
import { generateResultSchema } from '../generate/result';
import { profileSchema } from '../profile/profile-json';
import { replayResultSchema } from '../replay/result';
import { packResultSchema, storeResultSchema, unpackResultSchema } from '../store/result';
import { recompileResultSchema } from '../recompile/result';
import { reportSchema } from '../validate/report-json';
import { recompile } from '../recompile/recompile';
import { replay } from '../replay/replay';
import { validate } from '../validate/validate';
import { captureOptionsSchema } from '../capture/options';
import { generateOptionsSchema } from '../generate/options';
import { profileOptionsSchema } from '../profile/options';
import { replayOptionsSchema } from '../replay/options';
import type { Deps } from '../deps/deps';
import type { OptionsSchema } from '../support/options';
import { recompileOptionsSchema } from '../recompile/options';
import { storeExitCode, store } from '../store/maintain';
import { packOptionsSchema, storeOptionsSchema, unpackOptionsSchema } from '../store/options';
import { pack, unpack } from '../store/pack';
import { validateOptionsSchema } from '../validate/options';
import { adoptOptionsSchema, extractOptionsSchema } from '../extract/options';

/** One stage of the product: an executor, a CLI verb and a function of the API over the same options. */
export interface Stage<S extends OptionsSchema = OptionsSchema, R = unknown> {
  readonly name: string;
  readonly summary: string;
  readonly schema: S;
  /** Of what it gives: the type of the API, and what is published for --json. */
  readonly result: z.ZodType<R>;
  /** Which project file it starts from; a stage without one has no executor and no options in files. */
  readonly project: 'app' | 'reproducer' | 'none';
  /** Works on the reproducer alone, which may have been moved: kernloop.json of the app is no source of its options. */
  readonly selfContained?: boolean;
  /** The option that words after the verb fill. */
  readonly positional?: string;
  run(options: z.output<S>, deps: Deps): Promise<R>;
  exitCode(result: R): number;
  /** Of a task under Nx, where that is not the same as exit code 0. */
  succeeds?(result: R): boolean;
}

function stage<S extends OptionsSchema, R>(definition: Stage<S, R>): Stage<S, R> {
  return definition;
}

export const stages = {
  profile: stage({
    name: 'profile',
    summary: 'Rank the kernels that an app launches.',
    schema: profileOptionsSchema,
    result: profileSchema,
    project: 'app',
    positional: 'app',
    run: profile,
    exitCode: () => 0,
  }),
  capture: stage({
    name: 'capture',
    summary: 'Capture dispatches of kernels out of a run of an app.',
    schema: captureOptionsSchema,
    result: captureResultSchema,
    project: 'app',
    positional: 'kernel',
    run: capture,
    exitCode: ({ exitCode }) => exitCode,
    // The exit code is then that of the app, which failed after a complete capture.
    succeeds: () => true,
  }),
  generate: stage({
    name: 'generate',
    summary: "Generate the pristine files of a kernel's reproducer from its capture.",
    schema: generateOptionsSchema,
    result: generateResultSchema,
    project: 'app',
    positional: 'kernel',
    run: generate,
    exitCode: () => 0,
  }),
  extract: stage({
    name: 'extract',
    summary: 'Capture, generate and adopt: kernels of an app become projects of their own.',
    schema: extractOptionsSchema,
    result: extractResultSchema,
    project: 'app',
    positional: 'kernel',
    run: extract,
    exitCode: ({ exitCode }) => exitCode,
    succeeds: () => true,
  }),
  adopt: stage({
    name: 'adopt',
    summary: 'Copy what does not exist yet out of the pristine files of a reproducer.',
    schema: adoptOptionsSchema,
    result: adoptResultSchema,
    project: 'none',
    positional: 'reproducer',
    run: adopt,
    exitCode: () => 0,
  }),
  recompile: stage({
    name: 'recompile',
    summary: 'Rebuild the kernel of a reproducer from its edited source.',
    schema: recompileOptionsSchema,
    result: recompileResultSchema,
    project: 'reproducer',
    selfContained: true,
    positional: 'reproducer',
    run: recompile,
    exitCode: () => 0,
  }),
  replay: stage({
    name: 'replay',
    summary: 'Replay a captured dispatch, or a variant of it.',
    schema: replayOptionsSchema,
    result: replayResultSchema,
    project: 'reproducer',
    positional: 'reproducer',
    run: replay,
    exitCode: ({ exitCode }) => exitCode,
  }),
  validate: stage({
    name: 'validate',
    summary: 'Replay a variant and compare device memory with what the app computed.',
    schema: validateOptionsSchema,
    result: reportSchema,
    project: 'reproducer',
    positional: 'reproducer',
    run: validate,
    exitCode: ({ exit_code: exitCode }) => exitCode,
  }),
  store: stage({
    name: 'store',
    summary: 'Look after the chunk store: verify it, remove what no capture needs, or say what it holds.',
    schema: storeOptionsSchema,
    result: storeResultSchema,
    project: 'none',
    positional: 'action',
    run: store,
    exitCode: storeExitCode,
  }),
  pack: stage({
    name: 'pack',
    summary: 'Make one file of a capture, with every chunk it needs.',
    schema: packOptionsSchema,
    result: packResultSchema,
    project: 'none',
    positional: 'capture',
    run: pack,
    exitCode: () => 0,
  }),
  unpack: stage({
    name: 'unpack',
    summary: 'Make a capture of a packed one, every byte verified.',
    schema: unpackOptionsSchema,
    result: unpackResultSchema,
    project: 'none',
    positional: 'file',
    run: unpack,
    exitCode: () => 0,
  }),
  doctor: stage({
    name: 'doctor',
    summary: 'Say what this machine has and lacks for Kernloop.',
    schema: doctorOptionsSchema,
    result: doctorResultSchema,
    project: 'none',
    run: runDoctor,
    exitCode: ({ exitCode }) => exitCode,
  }),
} as const;

export type StageName = keyof typeof stages;
export const stageNames = Object.keys(stages) as StageName[];
