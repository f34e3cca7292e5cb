interface Rule {
  prerequisites: string[];
  /** Whether the rule has commands, as one that makes a file has. */
  makes: boolean;
}

const plain = /^[\w.+/-]+$/;
const noProgram = /\.(o|a|so|hsaco|cubin|ptx|fatbin|h|d|txt)$/;
/** Variables may name others; deeper ones are taken for recursive. */
const maxExpansions = 8;

/** Programs that the default goal of a Makefile plainly makes; none if that would take make's evaluation. */
export function programsOfMakefile(text: string): string[] {
  const lines = text.replaceAll(/\\\n/g, ' ').split('\n');
  const variables = variablesOf(lines);
  const { rules, first, phony } = rulesOf(lines, variables);
  const goal = variables.get('.DEFAULT_GOAL') ?? first;
  if (goal === undefined) return [];
  const rule = rules.get(goal);
  const isFile = rule?.makes === true && !phony.has(goal) && goal !== 'all';
  const names = isFile ? [goal] : (rule?.prerequisites ?? []).filter((name) => !phony.has(name));
  const isMade = (name: string): boolean =>
    plain.test(name) && !noProgram.test(name) && rules.get(name)?.makes === true;
  return names.every(isMade) ? names : [];
}

/** Values of variables that are assigned once. */
function variablesOf(lines: readonly string[]): Map<string, string | undefined> {
  const variables = new Map<string, string | undefined>();
  for (const line of lines) {
    const [, name, value] = /^([\w.]+)\s*(?:::?|\?|\+)?=\s*(.*)$/.exec(withoutComment(line)) ?? [];
    if (name !== undefined) variables.set(name, variables.has(name) ? undefined : (value ?? '').trim());
  }
  return variables;
}

function rulesOf(
  lines: readonly string[],
  variables: ReadonlyMap<string, string | undefined>,
): { rules: Map<string, Rule>; first: string | undefined; phony: Set<string> } {
  const rules = new Map<string, Rule>();
  const phony = new Set<string>();
  let first: string | undefined;
  let current: Rule[] = [];
  for (const line of lines) {
    if (line.startsWith('\t')) {
      for (const rule of current) rule.makes = true;
      continue;
    }
    const [, left, right] = /^([^:=]+):(?![:=])([^=]*)$/.exec(withoutComment(line)) ?? [];
    if (left === undefined) continue;
    const [targets, prerequisites] = [left, right ?? ''].map((side) => wordsOf(side, variables)) as [
      string[],
      string[],
    ];
    if (targets.includes('.PHONY')) for (const name of prerequisites) phony.add(name);
    first ??= targets.find((name) => !/^\.[^/]*$/.test(name) && !name.includes('%'));
    current = targets.map((name) => {
      const before = rules.get(name);
      const rule = {
        prerequisites: [...(before?.prerequisites ?? []), ...prerequisites],
        makes: before?.makes ?? false,
      };
      rules.set(name, rule);
      return rule;
    });
  }
  return { rules, first, phony };
}

const withoutComment = (line: string): string => line.replace(/#.*$/, '');

/** Words with their variables expanded. A variable that is not plain leaves a `$`, which no file name has. */
function wordsOf(text: string, variables: ReadonlyMap<string, string | undefined>): string[] {
  let expanded = text;
  for (let index = 0; index < maxExpansions; index += 1) {
    expanded = expanded.replaceAll(
      /\$(?:\((\w+)\)|\{(\w+)\})/g,
      (whole, round?: string, curly?: string) => variables.get(round ?? curly ?? '') ?? whole,
    );
  }
  return expanded.split(/\s+/).filter((word) => word !== '');
}
