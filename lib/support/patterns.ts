/** Regular expression that matches the text itself. */
export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The text as a regular expression, or as itself if it is none: `f(int*)`. */
export function expressionOf(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch {
    return new RegExp(escaped(text));
  }
}
