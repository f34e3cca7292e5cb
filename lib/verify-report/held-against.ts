import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Snapshot } from '../candidate/snapshot';
import { candidateSchema, type CandidateInput } from '../judge/candidate-json';
import { candidateAt } from '../judge/candidates-in';
import { candidateOptions, decidedHere, judgingIn, newFiles, type DecidedHere } from '../judge/decided-by';
import { requireCandidateFiles } from '../judge/files';
import type { DecidedBy, Judgement } from '../judge/judgement-json';
import type { DecidingSettings } from '../judge/options';
import { canonicalJson } from '../judge/seal';
import { chooseDispatches } from '../replay/captured-dispatches';
import { openReproducer, type Reproducer } from '../reproducer/reproducer';
import { sha256OfFile } from '../support/files';
import { parseJson } from '../support/schema';

/** A reproducer as it is now, which reports are held against. `close` removes its copy. */
export class Present {
  private readonly reproducer: Reproducer;
  private readonly here: DecidedHere;
  private readonly snapshot: Snapshot;

  constructor(folder: string, settings: DecidingSettings) {
    this.reproducer = openReproducer(folder);
    const options = candidateOptions(this.reproducer, settings);
    const { chosen } = chooseDispatches(this.reproducer, settings.capture, 'all');
    this.here = decidedHere(this.reproducer, chosen, options, judgingIn(this.reproducer, options));
    this.snapshot = new Snapshot(this.reproducer.root);
  }

  get name(): string {
    return this.reproducer.config.name;
  }

  /** Candidate that `judge` would be given by this path of its command line. */
  candidateAt(path: string): CandidateInput {
    return candidateAt(path, this.reproducer.config.source?.variant ?? '');
  }

  close(): void {
    this.snapshot.remove();
  }

  /** Says of each field in which a judgement is of something else what is different. */
  differences({ kernel, decided_by: decidedBy }: Judgement, candidate: CandidateInput = { files: {} }): string[] {
    if (kernel !== this.name) return [`kernel: it is of ${JSON.stringify(kernel)}, and the reproducer of ${this.name}`];
    if (decidedBy === null) return [];
    const given = parseJson('the candidate', JSON.stringify(candidate), candidateSchema);
    requireCandidateFiles(given, this.snapshot.root);
    const configuration = given.configuration ?? this.reproducer.config.configuration ?? null;
    return [
      ...differingFile('kernel_json', 'kernel.json', decidedBy, this.here),
      ...this.ofCaptures(decidedBy),
      ...differingFile('recipe', 'pristine/recipe.json', decidedBy, this.here),
      ...differingFile('overlay', 'pristine/overlay.template.json', decidedBy, this.here),
      ...differingSettings(withoutSeed(decidedBy.settings), this.here.settings),
      ...knownInputs(decidedBy),
      ...(canonicalJson(decidedBy.configuration ?? null) === canonicalJson(configuration)
        ? []
        : ['configuration: macros or launch are other ones']),
      ...this.ofSources(decidedBy, given.files),
    ];
  }

  private ofCaptures({ captures }: DecidedBy): string[] {
    const judged = new Map(captures.map((one) => [one.dispatch, one]));
    const here = new Map(this.here.captures.map((one) => [one.dispatch, one]));
    return [
      ...[...here.values()].flatMap(({ dispatch, capture, selfcheck }) => {
        const then = judged.get(dispatch);
        if (!then) return [`captures: dispatch ${dispatch}, which is captured here, did not judge it`];
        if (then.capture !== capture) return [`captures: that of dispatch ${dispatch} is another one`];
        return then.selfcheck === selfcheck ? [] : [`captures: the self-check of dispatch ${dispatch} is another one`];
      }),
      ...[...judged.keys()]
        .filter((dispatch) => !here.has(dispatch))
        .map((dispatch) => `captures: dispatch ${dispatch} judged it, and is not among those here`),
    ];
  }

  private ofSources({ sources, outside }: DecidedBy, files: Readonly<Record<string, string>>): string[] {
    const root = this.snapshot.candidate(files);
    const names = Object.keys(sources);
    const changed = [
      ...differing('sources', sources, (name) => join(root, name)),
      ...differing('outside', outside, (name) => resolve(this.reproducer.root, name)),
    ];
    if (changed.length > 0) return changed;
    return newFiles(root, Object.keys(this.snapshot.digestsWith(files)), names).map(
      (name) => `sources: ${name} was not there, and an #include or import may find it now`,
    );
  }
}

function differing(
  field: 'sources' | 'outside',
  digests: Readonly<Record<string, string>>,
  pathOf: (name: string) => string,
): string[] {
  return Object.entries(digests).flatMap(([name, digest]) => {
    const path = pathOf(name);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return [`${field}: ${JSON.stringify(name)} is not here`];
    return sha256OfFile(path) === digest ? [] : [`${field}: ${name} is another one`];
  });
}

function differingFile(
  field: 'kernel_json' | 'recipe' | 'overlay',
  file: string,
  then: Pick<DecidedBy, 'kernel_json' | 'recipe' | 'overlay'>,
  now: DecidedHere,
): string[] {
  return then[field] === now[field] ? [] : [`${field}: ${file} is another one`];
}

/** Older reports name the seed of the derived inputs, which everybody knew. */
const withoutSeed = ({ inputsSeed: _seed, ...settings }: DecidedBy['settings']): DecidedBy['settings'] => settings;

function knownInputs({ secret_inputs: secretInputs, settings }: DecidedBy): string[] {
  return secretInputs !== undefined || settings['inputs'] === 0
    ? []
    : ['secret_inputs: a candidate could know the inputs that an older version derived'];
}

function differingSettings(then: DecidedBy['settings'], now: DecidedBy['settings']): string[] {
  const names = [...new Set([...Object.keys(then), ...Object.keys(now)])].sort();
  const text = (settings: DecidedBy['settings'], name: string): string =>
    Object.hasOwn(settings, name) ? canonicalJson(settings[name]) : 'not set';
  return names
    .filter((name) => text(then, name) !== text(now, name))
    .map((name) => `settings.${name}: it is ${text(now, name)} here, and was ${text(then, name)}`);
}
