/**
 * Text that is HTML already. Any other text is escaped on its way into a page, because names come from files of others.
 */
export class Html {
  constructor(readonly text: string) {}
}

export type Piece = Html | string | number | null | readonly Piece[];

/** `markup\`<p>${name}</p>\``: inserted values are escaped. */
export function markup(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(
    parts.map((part, index) => `${index === 0 ? '' : textOf(pieces[index - 1] ?? null)}${part}`).join(''),
  );
}

function textOf(piece: Piece): string {
  if (piece instanceof Html) return piece.text;
  if (piece === null) return '';
  if (typeof piece === 'object') return piece.map(textOf).join('');
  return escaped(String(piece));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Control characters, and characters that change the direction of text, could make text read differently than it is.
 */
const hidden = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

const escaped = (text: string): string =>
  text
    .replaceAll(hidden, (one) => (one === '\n' || one === '\t' ? one : '\ufffd'))
    .replaceAll(/[&<>"']/g, (one) => entities[one] ?? '');

/** Limits text that may have any length. */
export const shortened = (text: string, most = 240): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;
