import { tasks } from '../init/editor';

interface Pattern {
  regexp: string;
  [group: string]: string | number;
}
interface Task {
  label: string;
  problemMatcher: { severity?: string; pattern: Pattern | Pattern[] }[];
}

/**
 * Problems that VS Code lists for these lines by the matchers of a task: each pattern of a list matches the next line.
 */
export function problemsIn(output: string, verb: string): Record<string, string>[] {
  const { problemMatcher } = (tasks as Task[]).find(({ label }) => label.includes(verb)) ?? { problemMatcher: [] };
  const lines = output.split('\n');
  return lines.flatMap((_, start) =>
    problemMatcher.flatMap(({ severity, pattern }) => {
      const found: Record<string, string> = severity === undefined ? {} : { severity };
      const patterns = [pattern].flat();
      const isWhole = patterns.every(({ regexp, ...groups }, index) => {
        const match = new RegExp(regexp).exec(lines[start + index] ?? '');
        for (const [name, group] of Object.entries(groups)) found[name] = match?.[Number(group)] ?? '';
        return match !== null;
      });
      return isWhole ? [found] : [];
    }),
  );
}
