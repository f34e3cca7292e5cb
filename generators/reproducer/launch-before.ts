const mostRows = 3;

/**
 * Text on another launch that the README.md of a project is of than a new one: `grid 4 x 1 x 1 blocks …, now 8 x 1 x 1
 * blocks …`. Undefined if both are of one launch, as far as they tell.
 */
export function launchBefore(readme: string, now: string): string | undefined {
  const rows = rowsOf(now);
  const differing = [...rowsOf(readme)].flatMap(([name, value]) => {
    const current = rows.get(name);
    if (current === undefined || current === value || name === 'symbol') return [];
    return name === 'code object' ? ['another build of the kernel'] : [`${name} ${value}, now ${current}`];
  });
  return differing.length === 0 ? undefined : differing.slice(0, mostRows).join('; ');
}

/** Facts of the launch, and the captured value and memory of each argument. */
function rowsOf(readme: string): Map<string, string> {
  const [, section = ''] = /^## What was captured\n(.*?)^## /ms.exec(readme) ?? [];
  return new Map(
    section.split('\n').flatMap((line): [string, string][] => {
      const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('`', ''));
      const [, name, ...values] = cells.slice(0, -1);
      if (name === undefined || name === '' || name.startsWith('---')) return [];
      const value = values.slice(-2).join(' ').trim();
      // The expression is of kernloop.json, whose edit makes no other launch.
      return [[name, name === 'dispatch' ? value.replace(/ that matches .*/, '') : value]];
    }),
  );
}
