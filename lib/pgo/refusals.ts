/** Builds by the reason for which none of them is kept, each reason once: "off, wave: no better than base; …". */
export function refusals(builds: readonly { readonly name: string; readonly why: string }[]): string {
  const names = new Map<string, string[]>();
  for (const { name, why } of builds) names.set(why, [...(names.get(why) ?? []), name]);
  return [...names].map(([why, of]) => `${of.join(', ')}: ${why}`).join('; ');
}

/** Whether the reason for which nothing is kept says the judgement of a build already. */
export const isSaid = (judgement: string, reason: string): boolean =>
  reason.includes(judgement.replace(/^not right: /, ''));
