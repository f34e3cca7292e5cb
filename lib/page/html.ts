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

/** Text of a message, in which code is between backticks. */
export const coded = (text: string): Html =>
  markup`${text.split('`').map((part, index) => (index % 2 === 0 ? part : markup`<code>${part}</code>`))}`;

/** A long name, which a narrow screen breaks between its parts rather than within a word. */
export const breakable = (name: string): Html =>
  markup`${name.split(/(?<=::|[(<,/])(?!:)/).map((part, index) => markup`${index === 0 ? '' : new Html('<wbr>')}${part}`)}`;

/** Begins a sentence with a message of another stage. */
export const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** A command as it is typed, whose options a narrow screen does not break after their dashes. */
export const commandCode = (command: string): Html =>
  markup`<code>${command.split(/(?<= )(?=-)/).map((part) => {
    const [, option = '', rest = ''] = /^(-\S+)([^]*)$/.exec(part) ?? [];
    return option === '' ? part : markup`<span class="option">${option}</span>${rest}`;
  })}</code>`;
