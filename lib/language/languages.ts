import { cuda } from './cuda';
import { hip } from './hip';
import type { Language, LanguageName } from './language';

export const languages: Readonly<Record<LanguageName, Language>> = { hip, cuda };

/** Extensions of everything that a device can load. */
export const codeObjectExtensions: readonly string[] = Object.values(languages).flatMap(
  ({ codeObjects }) => codeObjects,
);

/** `variant.hsaco` */
export function variantName(language: LanguageName): string {
  return `variant.${languages[language].codeObjects[0]}`;
}
