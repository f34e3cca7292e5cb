import { facts } from '../page/parts';
import { commandCode, markup, Html } from '../page/html';
import type { Section } from '../page/page';
import type { Body, Missing } from './left';

export interface Part {
  readonly id: string;
  readonly title: string;
  readonly body: Body;
}

/** Sections that have a body, then one short section of all others; `last` is behind it. */
export function folded(parts: readonly Part[], last: Section): Section[] {
  const measured = parts.flatMap(({ body, ...rest }) => (body instanceof Html ? [{ ...rest, body }] : []));
  const lacking = parts.flatMap(({ title, body }) => (body instanceof Html ? [] : [{ title, missing: body }]));
  if (lacking.length === 0) return [...measured, last];
  return [...measured, { id: 'unmeasured', title: 'Not measured yet', body: listOf(lacking) }, last];
}

/** A line for each command, after all that it measures. */
function listOf(lacking: readonly { title: string; missing: Missing }[]): Html {
  const lines = new Map<string, string[]>();
  for (const { title, missing } of lacking) {
    if (!('commands' in missing)) continue;
    const key = missing.commands.join('\n');
    lines.set(key, [...(lines.get(key) ?? []), title]);
  }
  const never = lacking.flatMap(({ title, missing }) => ('never' in missing ? [[title, missing.never] as const] : []));
  return markup`<div class="commands">
    ${facts([
      ...[...lines].map(
        ([commands, titles]) =>
          [titles.join(', '), markup`${commands.split('\n').map((one) => commandCode(one))}`] as const,
      ),
      ...never,
    ])}
  </div>`;
}
