import type { Place } from './advice-json';
import type { CountedInstruction, Facts } from './facts';

interface Group {
  first: CountedInstruction;
  weight: number;
  figures: Record<string, number>;
}

/**
 * Adds up instructions of the same source line; those without a line stand for themselves. `weigh` gives the figures of
 * an instruction and null for one that does not matter; the heaviest place comes first.
 */
export function placesOf(
  facts: Facts,
  weigh: (instruction: CountedInstruction) => { weight: number; figures: Record<string, number> } | null,
  says: (figures: Record<string, number>) => string,
): Place[] {
  const groups = new Map<string, Group>();
  for (const instruction of facts.instructions) {
    const weighed = weigh(instruction);
    if (weighed === null) continue;
    const { file, line, offset, instruction: text } = instruction;
    const key = file === null || line === null ? `${offset} ${text}` : `${file}:${line}`;
    const group = groups.get(key) ?? { first: instruction, weight: 0, figures: {} };
    group.weight += weighed.weight;
    for (const [name, value] of Object.entries(weighed.figures))
      group.figures[name] = (group.figures[name] ?? 0) + value;
    groups.set(key, group);
  }
  return [...groups.values()]
    .sort((a, b) => b.weight - a.weight)
    .map(({ first: { file, line, offset, instruction }, figures }) => {
      const hasLine = file !== null && line !== null;
      return {
        file: hasLine ? file : null,
        line: hasLine ? line : null,
        text: hasLine ? facts.textOf(file, line) : null,
        offset: hasLine ? null : offset,
        instruction: hasLine ? null : instruction,
        says: says(figures),
        figures,
      };
    });
}
