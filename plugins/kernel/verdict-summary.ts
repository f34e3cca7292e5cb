import { stripVTControlCharacters } from 'node:util';

/** Commands whose output Nx hides for tasks that succeed. */
const hiding = ['affected', 'run-many'];
/** Styles with which Nx shows all output itself. */
const showing = ['static', 'stream', 'stream-without-prefixes'];

const target = 'validate';

/** Results of tasks, as Nx hands them to the plugin. */
type Results = Readonly<
  Record<string, { task: { target: { project: string; target: string } }; terminalOutput?: string | undefined }>
>;

/**
 * Verdicts of a command's validate tasks, with their warnings: Nx shows only the output of tasks that fail. Empty if
 * none ran, or if Nx shows the output.
 */
export function verdictSummary(results: Results, argv: readonly string[]): string[] {
  if (!argv.some((word) => hiding.includes(word)) || showsOutput(argv)) return [];
  const verdicts = Object.values(results)
    .filter(({ task }) => task.target.target === target)
    .flatMap(({ task, terminalOutput }) => {
      const lines = stripVTControlCharacters(terminalOutput ?? '').split(/\r?\n/);
      const verdict = lines.findLast((line) => line.startsWith('Result: '));
      if (verdict === undefined) return [];
      const warnings = new Set(lines.filter((line) => line.startsWith('warning: ')));
      return [{ name: task.target.project, lines: [verdict.slice('Result: '.length), ...warnings] }];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (verdicts.length === 0) return [];
  return [
    `Kernloop: ${verdicts.length === 1 ? '1 verdict' : `${verdicts.length} verdicts`}`,
    ...verdicts.flatMap(({ name, lines: [verdict = '', ...warnings] }) => [
      `  ${name}: ${verdict}`,
      ...warnings.map((line) => `    ${line}`),
    ]),
  ];
}

function showsOutput(argv: readonly string[]): boolean {
  if (argv.includes('--verbose')) return true;
  const index = argv.findIndex((word) => /^--output-?style(=|$)/i.test(word));
  const style = argv[index]?.split('=')[1] ?? argv[index + 1] ?? '';
  return index >= 0 && showing.includes(style);
}
