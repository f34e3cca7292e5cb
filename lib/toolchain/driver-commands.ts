/**
 * Commands that clang's driver prints for `-###`: one per line, each word in quotes, with a backslash before quotes,
 * backslashes and dollars (clang's `Command::printArg`).
 */
export function driverCommands(printed: string): string[][] {
  return printed
    .split('\n')
    .filter((line) => line.startsWith(' "'))
    .map((line) => [...line.matchAll(/"((?:\\.|[^"\\])*)"/g)].map(([, word = '']) => word.replaceAll(/\\(.)/g, '$1')));
}
