import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { replayingOptions } from '../candidate/judging';
import { Snapshot } from '../candidate/snapshot';
import type { Deps } from '../deps/deps';
import type { Device } from '../device/device';
import { compilerOf, readRecipe } from '../recompile/recompile';
import { chooseDispatches, type CapturedDispatch } from '../replay/captured-dispatches';
import { openReplayDevice } from '../replay/replay-device';
import { openReproducer, type Reproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import { sha256, sha256OfFile } from '../support/files';
import { KnownDigests } from '../support/known-digests';
import { version } from '../support/version';
import { isCompiledWithClang } from '../toolchain/compile';
import { KnownSteps } from '../toolchain/driver-steps';
import { toolchainIdentity } from '../toolchain/identity';
import type { Compiler } from '../toolchain/find-compiler';
import type { Overlay } from '../toolchain/overlay';
import type { Recipe } from '../toolchain/recipe';
import { SystemFolders } from '../toolchain/system-folders';
import { requireOptionsOfDevice } from '../validate/device-options';
import type { ValidateOptions } from '../validate/options';
import type { Candidate } from './candidate-json';
import { candidateOptions, decidedHere, judgingIn } from './decided-by';
import type { DecidedBy } from './judgement-json';
import type { DrawInputs, InputsDraw } from './secret-inputs';
import type { JudgeSettings } from './options';
import { Preambles } from './preambles';

/** A reproducer that candidates are judged against: what decides is read once, copied or pinned by digest. */
export interface Subject {
  readonly name: string;
  readonly reproducer: Reproducer;
  readonly recipe: Recipe;
  readonly overlay: Overlay;
  readonly compiler: Compiler;
  readonly snapshot: Snapshot;
  readonly preambles: Preambles;
  /** Answers of the compiler's driver; null if it is not clang's. */
  readonly steps: KnownSteps | null;
  readonly device: Device;
  readonly judging: ValidateOptions;
  readonly replaying: object;
  readonly iterations: number | undefined;
  readonly chosen: readonly CapturedDispatch[];
  /** All that decides besides the candidate. */
  readonly pinned: Omit<
    DecidedBy,
    'sources' | 'outside' | 'code_object' | 'configuration' | 'secret_inputs' | 'sandboxed'
  >;
  /** Seed of the inputs that a candidate is judged by besides the captured one; null if there are none. */
  inputsOf(candidate: Pick<Candidate, 'files' | 'configuration'>): InputsDraw | null;
  /** Digest of a file outside. */
  readonly digestOf: (path: string) => string;
  /** Whether the reproducer's own code is another one where it is compiled elsewhere, as `find` says of it. Asked once. */
  isPlaceDependent(find: () => Promise<boolean>): Promise<boolean>;
  /** Throws if something that decides was changed since. */
  requirePinned(): void;
  /** Digest of all that decides the verdict on a candidate, except files outside that only a compilation reveals. */
  keyOf(candidate: Pick<Candidate, 'files' | 'configuration'>): string;
  close(): void;
}

export async function openSubject(
  folder: string,
  settings: JudgeSettings,
  drawInputs: DrawInputs,
  deps: Deps,
): Promise<Subject> {
  const reproducer = openReproducer(folder);
  const { recipe, overlay } = readRecipe(reproducer);
  const { chosen } = chooseDispatches(reproducer, settings.capture, 'all');
  const [main] = chosen;
  if (!main) throw new Error('the capture in capture/ is of its own kernel');
  const options = candidateOptions(reproducer, settings);
  const device = await openReplayDevice(options, [main.capture], deps);
  requireOptionsOfDevice(options, device);
  const judging = judgingIn(reproducer, options);
  const compiler = await compilerOf(recipe, reproducer, deps);
  const snapshot = new Snapshot(reproducer.root);
  const programs = KnownDigests.of(deps.env);
  const pin = (): Subject['pinned'] => ({
    kernloop: version,
    programs: Object.fromEntries(
      [deps.native.replay, deps.native.softgpu].map((path) => [basename(path), programs.of(path)]),
    ),
    ...decidedHere(reproducer, chosen, options, judging),
    compiler: compiler.version,
    device: { kind: device.description.kind, identity: device.description.identity },
  });
  const pinned = pin();
  const { options: _options, ...config } = reproducer.config;
  const shared = [
    pinned,
    config,
    toolchainIdentity(deps.env),
    settings.iterations ?? null,
    settings.gpu ?? null,
    settings.unsandboxed,
  ];
  const system = new SystemFolders([compiler.path], deps.env);
  let dependence: Promise<boolean> | undefined;
  const inputsOf: Subject['inputsOf'] = ({ files, configuration = reproducer.config.configuration }) =>
    judging.inputs === 0
      ? null
      : drawInputs({
          captures: pinned.captures,
          sources: snapshot.digestsWith(files),
          configuration: configuration ?? null,
        });
  return {
    ...{ name: reproducer.config.name, reproducer, recipe, overlay, compiler, snapshot, device, judging },
    preambles: new Preambles(snapshot),
    steps:
      isCompiledWithClang(recipe) && recipe.language === 'hip' && recipe.one_entry !== true ? new KnownSteps() : null,
    ...{ chosen, pinned, iterations: settings.iterations, replaying: replayingOptions(options) },
    inputsOf,
    digestOf: (path) => (system.contain(path) ? programs.of(path) : sha256OfFile(path)),
    isPlaceDependent: (find) =>
      (dependence ??= find().catch((error: unknown) => {
        dependence = undefined;
        throw error;
      })),
    requirePinned: () => {
      if (isDeepStrictEqual(pin(), pinned)) return;
      throw new KernloopError(
        'JUDGE_INPUT_CHANGED',
        `the capture, kernel.json, pristine/ or a program of Kernloop was changed since the judge of ${reproducer.config.name} started`,
        'bring it back, or start the judge anew: verdicts of before and after cannot be compared',
      );
    },
    // The tag changes with what an outcome says: an older one may name fewer sources.
    keyOf: ({ files, configuration }) => {
      const sources = snapshot.digestsWith(files);
      const drawn = inputsOf({ files, configuration })?.commitment ?? null;
      return sha256(JSON.stringify(['kernloop.outcome/3', shared, sources, configuration ?? null, drawn]));
    },
    close: () => snapshot.remove(),
  };
}
