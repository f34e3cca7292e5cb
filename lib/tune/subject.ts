import type { Configuration } from '../reproducer/configuration';
import type { Value } from '../support/expression';
import type { Parameters } from './space';

/** What decides the code and the launch of a candidate, beside what all of them share. */
export interface Variation {
  /** Files of the reproducer that are other ones, by their names. */
  files: Readonly<Record<string, string>>;
  configuration: Configuration | undefined;
}

/** What the parameters of a search mean to a reproducer. */
export interface Subject {
  /** "CONSTEXPRS", "macro", …: what each parameter changes. */
  readonly kinds: Readonly<Record<string, string>>;
  /** Values that are in force now, of those that are known. */
  readonly base: Readonly<Record<string, Value>>;
  /** What constraints may name besides the parameters. */
  readonly known: Parameters;
  vary(one: Parameters): Variation;
}
