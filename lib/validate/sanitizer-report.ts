/** Parses compute-sanitizer's log: lines that start with "=========". Names in it come from the code object. */

export const sanitizerTools = ['racecheck', 'initcheck', 'memcheck'] as const;
export type SanitizerTool = (typeof sanitizerTools)[number];

interface Finding {
  /** Kind of finding, without the place: "race between write and read of shared memory". Only kinds are compared. */
  kind: string;
  /** The tool's text for the first finding of this kind, with the place. */
  text: string;
  count: number;
}

export interface SanitizerReport {
  findings: Finding[];
  /** Number in the tool's last line; null means that the line is missing and nothing was checked. */
  summary: number | null;
  /** The tool's explanation if it checked nothing, or not everything. */
  trouble: string | null;
}

/** Limit on kinds; more indicate a hostile log or a parsing mistake. */
const maxKinds = 100;
const maxText = 500;

export function parseSanitizerLog(log: string): SanitizerReport {
  const found = new Map<string, Finding>();
  let summary: number | null = null;
  let trouble: string | null = null;
  const blocks = blocksOf(log);
  for (const block of blocks) {
    const [head = ''] = block;
    const counted =
      /^(?:RACECHECK |ERROR |INITCHECK )SUMMARY: (\d{1,15}) (?:hazards?|errors?)(?: displayed|$|\s*$)/.exec(head);
    if (counted) summary ??= Number(counted[1]);
    else if (/SUMMARY:|^COMPUTE-SANITIZER|^$/.test(head)) continue;
    else {
      const kind = kindOf(block);
      if (kind === null) trouble ??= plain(head);
      else add(found, kind, plain(block.slice(0, 3).join(' ')));
    }
  }
  return { findings: [...found.values()], summary, trouble };
}

/** Groups a finding: an unindented line and the indented lines below it. */
function blocksOf(log: string): string[][] {
  const blocks: string[][] = [];
  for (const [, text = ''] of log.matchAll(/^={5,}(?: ?(.*))?$/gm)) {
    const last = blocks.at(-1);
    if (/^\s+\S/.test(text) && last) {
      if (last.length < 16) last.push(text.trim());
    } else if (/^(and|at|by|in|Access|Address|Saved|Host Frame|Device Frame) /.test(text) && last)
      last.push(text.trim());
    else blocks.push([text.trim()]);
  }
  return blocks;
}

/** Null if the message concerns the tool or the program, not the kernel. */
function kindOf([head = '', ...rest]: readonly string[]): string | null {
  const race = /Race reported between (\w+) access/.exec(head);
  if (race) {
    const others = rest.join(' ').matchAll(/\band (\w+) access/g);
    const accesses = [race[1] ?? '', ...[...others].map(([, access = '']) => access)].map((word) => word.toLowerCase());
    return `race between ${[...new Set(accesses)].sort().join(' and ')} of shared memory`;
  }
  const hazard = /Potential (\w+) hazard detected at __(\w+)__/.exec(head);
  if (hazard) return `${hazard[1] ?? ''} hazard in ${hazard[2] ?? ''} memory`;
  const uninitialized = /Uninitialized __(\w+)__ memory (\w+)/.exec(head);
  if (uninitialized) return `${uninitialized[2] ?? ''} of uninitialised ${uninitialized[1] ?? ''} memory`;
  const invalid = /(Invalid|Misaligned) __(\w+)__ (read|write|atomic|reduction)/i.exec(head);
  if (invalid) return `${invalid[1]?.toLowerCase() ?? ''} ${invalid[3] ?? ''} of ${invalid[2] ?? ''} memory`;
  if (/^\d+ errors? (was|were) skipped/.test(head)) return null;
  if (/^(Error|Warning|Fatal|Internal|Target application|No attachable|Unable|Failed)/i.test(head)) return null;
  // Unknown kinds of findings are still reported, by their text without numbers and places.
  return head.replaceAll(/0x[0-9a-f]+|\d+/gi, '#').slice(0, 120);
}

function add(found: Map<string, Finding>, kind: string, text: string): void {
  const before = found.get(kind);
  if (before) before.count += 1;
  else if (found.size < maxKinds) found.set(kind, { kind, text, count: 1 });
}

/** Makes text safe for a terminal, because names in a code object may contain anything. */
function plain(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, maxText);
}
