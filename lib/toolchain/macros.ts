import type { Recipe } from './recipe';

type Macros = Readonly<Record<string, number | string | boolean>>;

/** Recipe in which these macros replace those of the same names in the app's command. */
export function withMacros<R extends Pick<Recipe, 'arguments'>>(recipe: R, macros: Macros): R {
  const names = Object.keys(macros);
  if (names.length === 0) return recipe;
  const words = recipe.arguments;
  const kept = words.filter((word, index) => {
    const definition = definitionAt(words, index) ?? (isSeparate(word) ? words[index + 1] : undefined);
    return definition === undefined || !names.includes(definition.split(/[=(]/, 1)[0] ?? '');
  });
  return { ...recipe, arguments: [...kept, ...definitionsOf(macros).map((definition) => `-D${definition}`)] };
}

/** Macros, NAME=VALUE, that the app's command does not define so. */
export function ownMacros({ arguments: words }: Pick<Recipe, 'arguments'>, macros: Macros): string[] {
  const ofApp = words.flatMap((_word, index) => {
    const definition = definitionAt(words, index);
    return definition === undefined ? [] : [definition.includes('=') ? definition : `${definition}=1`];
  });
  return definitionsOf(macros).filter((definition) => !ofApp.includes(definition));
}

const definitionsOf = (macros: Macros): string[] =>
  Object.entries(macros).map(([name, value]) => `${name}=${macroText(value)}`);

const isSeparate = (word: string | undefined): boolean => word !== undefined && /^(-D|--define-macro)$/.test(word);

/** Definition in the word at the index; undefined if it has none. */
const definitionAt = (words: readonly string[], index: number): string | undefined =>
  isSeparate(words[index - 1]) ? words[index] : /^(?:-D|--define-macro=)(.+)$/.exec(words[index] ?? '')?.[1];

export const macroText = (value: number | string | boolean): string =>
  typeof value === 'boolean' ? String(Number(value)) : String(value);
