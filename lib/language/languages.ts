import { cuda } from './cuda';
import { hip } from './hip';
import type { Language, LanguageName } from './language';
import { triton } from './triton';

export const languages: Readonly<Record<LanguageName, Language>> = { hip, cuda, triton };

/** Scripts of a reproducer, which may have no source. */
export const scriptsOf = (language: LanguageName | 'none'): readonly string[] =>
  language === 'none' ? [] : languages[language].scripts;

/** Extensions of all files that a device can load. */
export const codeObjectExtensions: readonly string[] = [
  ...new Set(Object.values(languages).flatMap(({ codeObjects }) => codeObjects)),
];

/** Extension of a kernel compiled for a device, as captures and projects name the device. */
export function variantExtension(language: LanguageName, device: string): string {
  const { codeObjects } = languages[language];
  const loaded: readonly string[] = device === 'cuda' ? cuda.codeObjects : hip.codeObjects;
  return codeObjects.find((extension) => loaded.includes(extension)) ?? codeObjects[0];
}

/** `variant.hsaco` */
export function variantName(language: LanguageName, device: string): string {
  return `variant.${variantExtension(language, device)}`;
}
