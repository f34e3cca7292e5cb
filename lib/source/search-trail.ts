/** A definition of the kernel in a file outside the app. */
export interface SystemDefinition {
  file: string;
  line: number;
  /** The translation unit that includes it. */
  unit: string;
}

/** Advice where the options of the app's build are not known. */
export const databaseHint =
  'watch its build once (`make clean; kernloop watch-build -- make`, or what else builds all of it), or name its compile database ("compileCommands" in kernloop.json)';

/** Log of a search for a kernel, for the message if nothing is found. */
export class SearchTrail {
  /** Translation units seen, and how many the compiler could not read. */
  units = 0;
  unreadable = 0;
  /** Units that mention the kernel, but whose code does not contain it. */
  tried: string[] = [];
  /** Whether the options of the units are those of the app's build. */
  hasDatabase = true;
  private found: SystemDefinition | null = null;

  define(definition: SystemDefinition): void {
    this.found = definition;
  }

  systemDefinition(): SystemDefinition | null {
    return this.found;
  }

  summary(): string {
    const units = this.units === 1 ? 'the one translation unit' : `${this.units} translation units`;
    const read = this.unreadable > 0 ? `, ${this.unreadable} of them unreadable` : '';
    const tried = this.tried.length > 0 ? ` (compiled: ${this.tried.slice(0, 4).join(', ')})` : '';
    return this.units === 0
      ? 'there is no translation unit with device code to search'
      : `no kernel of this name comes out of ${units} with device code${read}${tried}`;
  }
}
