import { commandText } from '../support/command-text';

const longestCommand = 100;

/** A command line as a person would type it, shortened if it is long. */
export function quoteCommand(command: readonly string[]): string {
  const text = commandText(command);
  return text.length > longestCommand ? `${text.slice(0, longestCommand - 1)}…` : text;
}
