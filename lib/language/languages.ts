import { cuda } from './cuda';
import { hip } from './hip';
import type { Language, LanguageName } from './language';
import { triton } from './triton';

export const languages: Readonly<Record<LanguageName, Language>> = { hip, cuda, triton };

/** Of a reproducer whose source may not be there. */
export const scriptsOf = (language: LanguageName | 'none'): readonly string[] =>
  language === 'none' ? [] : languages[language].scripts;

/** Extensions of everything that a device can load. */
export const codeObjectExtensions: readonly string[] = [
  ...new Set(Object.values(languages).flatMap(({ codeObjects }) => codeObjects)),
];

/** Of what a kernel is compiled to for a device, as captures and projects name it. */
export function variantExtension(language: LanguageName, device: string): string {
  const { codeObjects } = languages[language];
  const loaded: readonly string[] = device === 'cuda' ? cuda.codeObjects : hip.codeObjects;
  return codeObjects.find((extension) => loaded.includes(extension)) ?? codeObjects[0];
}

/** `variant.hsaco` */
export function variantName(language: LanguageName, device: string): string {
  return `variant.${variantExtension(language, device)}`;
}
