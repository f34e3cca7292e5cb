import { openSourceParser } from '../source/source-parser';
import { KernloopError, nearest } from '../support/error';
import type { Value } from '../support/expression';
import { reproducerScript } from '../language/triton';
import type { TuneOptions } from './options';
import { dictionaryValues, pythonText } from './python-values';
import type { Parameter, Parameters } from './space';
import type { Subject } from './subject';
import { editableText, edited, literalValue, type Place } from './text-edits';

const dictionaries = ['CONSTEXPRS', 'OPTIONS'] as const;

/** Subject of a Triton kernel: CONSTEXPRS and OPTIONS of reproducer.py, whose grid() gives each launch. */
export async function tritonSubject(
  root: string,
  parameters: readonly Parameter[],
  captured: Parameters,
  options: TuneOptions,
): Promise<Subject> {
  refuseLaunch(options);
  const text = editableText(root, reproducerScript);
  const values = dictionaryValues(text, await openSourceParser('python'));
  const places = new Map<string, { place: Place; dictionary: string }>();
  for (const dictionary of dictionaries) {
    const pairs = values.get(dictionary);
    if (!pairs) {
      throw new KernloopError(
        'TUNE_PARAMETER',
        `${reproducerScript} has no ${dictionary} that could be read`,
        `write it as it was generated: ${dictionary} = { "NAME": value, … }`,
      );
    }
    for (const [name, place] of pairs) places.set(name, { place, dictionary });
  }
  const chosen = parameters.map(({ name }) => {
    const found = places.get(name);
    if (found) return { name, ...found };
    const known = [...places.keys()];
    const [close] = nearest(name, known, 1);
    throw new KernloopError(
      'TUNE_PARAMETER',
      `${name} is neither in CONSTEXPRS nor in OPTIONS of ${reproducerScript}`,
      `${close ? `did you mean ${close}? ` : ''}they have ${known.join(', ')}; an option that Triton knows besides (waves_per_eu, maxnreg, …) can be added to OPTIONS`,
    );
  });
  const literals = [...places].flatMap(([name, { place }]): [string, Value][] => {
    const value = literalValue(place.text);
    return value === undefined ? [] : [[name, value]];
  });
  const base = Object.fromEntries(literals);
  return {
    kinds: Object.fromEntries(chosen.map(({ name, dictionary }) => [name, dictionary])),
    base,
    known: { ...captured, ...base },
    vary: (one) => ({
      files: {
        [reproducerScript]: edited(
          text,
          chosen.map(({ name, place }) => {
            const value = one[name] ?? '';
            // Keeps the current spelling if it means the same value.
            return { place, text: literalValue(place.text) === value ? place.text : pythonText(value, place) };
          }),
        ),
      },
      configuration: undefined,
    }),
  };
}

function refuseLaunch({ grid, block, dynamicShared, argument }: TuneOptions): void {
  const given = [
    grid !== undefined && '--grid',
    block !== undefined && '--block',
    dynamicShared !== undefined && '--dynamic-shared',
    argument.length > 0 && '--argument',
  ].find(Boolean);
  if (!given) return;
  throw new KernloopError(
    'USAGE',
    `${given} is for kernels in C++`,
    `leave it out: grid() of ${reproducerScript} says how a Triton kernel is launched`,
  );
}
