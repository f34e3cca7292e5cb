import type { Configuration } from '../reproducer/configuration';
import type { Value } from '../support/expression';
import type { Parameters } from './space';

/** Code and launch of one candidate, apart from what all candidates share. */
export interface Variation {
  /** Replaced files of the reproducer, by name. */
  files: Readonly<Record<string, string>>;
  configuration: Configuration | undefined;
}

/** Meaning of a search's parameters for a reproducer. */
export interface Subject {
  /** Kind of thing that each parameter changes: "CONSTEXPRS", "macro", …. */
  readonly kinds: Readonly<Record<string, string>>;
  /** Current values, as far as they are known. */
  readonly base: Readonly<Record<string, Value>>;
  /** Names that constraints may use in addition to the parameters. */
  readonly known: Parameters;
  vary(one: Parameters): Variation;
}
