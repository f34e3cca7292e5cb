import { z } from 'zod';
import type { OptionsSchema } from '../support/options';
import type { Stage } from './stage';
import type { Task } from './task';

/** Kinds of project that a stage may start from. */
export type Subject = 'reproducer' | 'app';

/** The part of a descriptor that differs between the subjects of a stage. Its result begins with `subject`. */
interface Part<S extends OptionsSchema, R extends z.ZodObject> extends Pick<
  Stage<S, z.output<R>>,
  'options' | 'run' | 'selfContained' | 'writes'
> {
  readonly result: R;
  /** Options that name a file or folder, besides the subject. */
  readonly paths?: Stage<S>['paths'];
  /** One target, of the stage's name. */
  readonly task: Omit<Task<z.output<S>, z.output<R>>, 'targets'>;
}

/** The part of a descriptor that both subjects share. `options`: those that both have, with other defaults or values. */
interface Shared extends Pick<Stage, 'name' | 'summary' | 'exitCodes' | 'onDevice'> {
  readonly options?: Readonly<Record<string, z.ZodType>>;
}

const folders = {
  reproducer: z
    .string()
    .optional()
    .describe(
      'Folder of the reproducer: where kernel.json is, or any folder below it. Default: the project of the working folder, a reproducer or an app.',
    ),
  app: z
    .string()
    .optional()
    .describe('Folder of an app, in place of a reproducer: where kernloop.json is, or any folder below it.'),
};

/** A stage that starts from either kind of project. */
export interface Either<A extends OptionsSchema, B extends OptionsSchema, R> extends Stage<Both<A, B>, R> {
  readonly subjects: Readonly<Record<Subject, Stage>>;
}

type Both<A extends OptionsSchema, B extends OptionsSchema> = z.ZodObject<
  Omit<A['shape'] & B['shape'], Subject> & typeof folders
>;

/**
 * Describes a stage that starts from a reproducer or from an app. `subjects` has a complete descriptor for each; their
 * union is what the command line, the API, schemas and reference show.
 */
export function defineEither<
  A extends OptionsSchema,
  B extends OptionsSchema,
  AR extends z.ZodObject,
  BR extends z.ZodObject,
>(
  { options = {}, ...shared }: Shared,
  { reproducer, app }: { readonly reproducer: Part<A, AR>; readonly app: Part<B, BR> },
): Either<A, B, z.output<AR> | z.output<BR>> {
  const [ofReproducer, ofApp] = [reproducer.options.shape, app.options.shape];
  const subjects = {
    reproducer: complete(shared, 'reproducer', reproducer, Object.keys(ofApp)),
    // kernloop.json has options for the app, and for reproducers if they take any from there.
    app: complete(shared, 'app', app, reproducer.selfContained ? [] : Object.keys(ofReproducer)),
  };
  const union: Stage = {
    ...subjects.reproducer,
    subjects,
    options: z.object({ ...folders, ...marked(ofReproducer, ofApp), ...options }),
    result: z.discriminatedUnion('subject', [reproducer.result, app.result] as never),
    project: 'either',
    selfContained: false,
    paths: [...new Set(Object.values(subjects).flatMap(({ paths }) => paths))],
    writes: Object.values(subjects).flatMap(({ writes = [] }) => writes),
    run: (values, deps) => subjects[subjectOf(values)].run(values, deps),
  };
  return union as unknown as Either<A, B, z.output<AR> | z.output<BR>>;
}

/** Subject of options in effect, of which those of an app alone name one. */
export const subjectOf = ({ app }: Readonly<Record<string, unknown>>): Subject =>
  app === undefined ? 'reproducer' : 'app';

/** Descriptors of a stage, one for each kind of project. */
export const partsOf = (stage: Stage): readonly Stage[] => Object.values(stage.subjects ?? { only: stage });

function complete<S extends OptionsSchema, R extends z.ZodObject>(
  shared: Omit<Shared, 'options'>,
  project: Subject,
  { paths = [], task, ...part }: Part<S, R>,
  ofOther: readonly string[],
): Stage {
  return {
    ...shared,
    ...part,
    ...{ project, ofOther, positional: project, paths: [project, ...paths] },
    exitCode: () => 0,
    task: { ...task, targets: [{ name: shared.name, of: 'project' }] },
  } as unknown as Stage;
}

/** Options of both subjects; those that only one has begin with its name. */
function marked(ofReproducer: OptionsSchema['shape'], ofApp: OptionsSchema['shape']): Record<string, z.ZodType> {
  const all = Object.entries({ ...ofReproducer, ...ofApp, ...ofReproducer }) as [string, z.ZodType][];
  const ofOne = (name: string): string => (name in ofApp ? 'For an app.' : 'For a reproducer.');
  return Object.fromEntries(
    all
      .filter(([name]) => !(name in folders))
      .map(([name, option]) => {
        const isOfBoth = name in ofReproducer && name in ofApp;
        return [name, isOfBoth ? option : option.describe(`${ofOne(name)} ${option.description ?? ''}`)];
      }),
  );
}
