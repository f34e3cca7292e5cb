import { stripVTControlCharacters } from 'node:util';

/** Commands whose output Nx hides for tasks that succeed. */
const hiding = ['affected', 'run-many'];
/** Styles with which Nx shows all output itself. */
const showing = ['static', 'stream', 'stream-without-prefixes'];

const target = 'validate';
/** Target that runs before `validate` in the same project. If it fails, Nx skips `validate` and returns no result for it. */
const earlier = 'recompile';

/** Results of tasks, as Nx hands them to the plugin. */
type Results = Readonly<
  Record<
    string,
    { task: { target: { project: string; target: string } }; status: string; terminalOutput?: string | undefined }
  >
>;

/**
 * Verdicts of a command's validate tasks, with their warnings: Nx shows only the output of tasks that fail. A kernel
 * without a verdict, because it was not compiled or not judged, has its error there. Empty if no kernel was to be
 * judged, or if Nx shows the output.
 */
export function verdictSummary(results: Results, argv: readonly string[]): string[] {
  if (!hiding.includes(argv[2] ?? '') || showsOutput(argv)) return [];
  const asksForVerdicts = argv.some((word) => word.split(/[=,]/).includes(target));
  const rows = new Map<string, string[]>();
  let verdicts = 0;
  for (const { task, status, terminalOutput } of Object.values(results)) {
    const isVerdict = task.target.target === target;
    if (!isVerdict && !(asksForVerdicts && task.target.target === earlier)) continue;
    const lines = stripVTControlCharacters(terminalOutput ?? '').split(/\r?\n/);
    const verdict = isVerdict ? lines.findLast((line) => line.startsWith('Result: ')) : undefined;
    const error = status === 'failure' ? errorIn(lines) : undefined;
    if (verdict !== undefined) {
      verdicts += 1;
      const warnings = new Set(lines.filter((line) => line.startsWith('warning: ')));
      rows.set(task.target.project, [verdict.slice('Result: '.length), ...warnings]);
    } else if (error !== undefined) rows.set(task.target.project, [`no verdict: ${error}`]);
  }
  if (rows.size === 0) return [];
  return [
    `Kernloop: ${verdicts === 1 ? '1 verdict' : `${verdicts} verdicts`}`,
    ...[...rows]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, [verdict = '', ...warnings]]) => [
        `  ${name}: ${verdict}`,
        ...warnings.map((line) => `    ${line}`),
      ]),
  ];
}

/** First line of the error that a stage ended with, known by the code at its end. */
function errorIn(lines: readonly string[]): string | undefined {
  const at = lines.findLastIndex((line) => line.startsWith('error: '));
  if (at < 0 || !lines.slice(at).some((line) => /\[[A-Z]+(_[A-Z]+)*\]$/.test(line))) return undefined;
  return lines[at]?.slice('error: '.length);
}

function showsOutput(argv: readonly string[]): boolean {
  if (argv.includes('--verbose')) return true;
  const index = argv.findIndex((word) => /^--output-?style(=|$)/i.test(word));
  const style = argv[index]?.split('=')[1] ?? argv[index + 1] ?? '';
  return index >= 0 && showing.includes(style);
}
