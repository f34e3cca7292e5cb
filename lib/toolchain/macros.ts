import type { Recipe } from './recipe';

/** Recipe in which these macros replace those of the same names in the app's command. */
export function withMacros<R extends Pick<Recipe, 'arguments'>>(
  recipe: R,
  macros: Readonly<Record<string, number | string | boolean>>,
): R {
  const names = Object.keys(macros);
  if (names.length === 0) return recipe;
  const words = recipe.arguments;
  const isSeparate = (word: string | undefined): boolean => word !== undefined && /^(-D|--define-macro)$/.test(word);
  const kept = words.filter((word, index) => {
    const definition = isSeparate(words[index - 1]) ? word : isSeparate(word) ? words[index + 1] : definitionIn(word);
    return definition === undefined || !names.includes(definition.split(/[=(]/, 1)[0] ?? '');
  });
  return { ...recipe, arguments: [...kept, ...names.map((name) => `-D${name}=${macroText(macros[name] ?? '')}`)] };
}

const definitionIn = (word: string): string | undefined => /^(?:-D|--define-macro=)(.+)$/.exec(word)?.[1];

export const macroText = (value: number | string | boolean): string =>
  typeof value === 'boolean' ? String(Number(value)) : String(value);
