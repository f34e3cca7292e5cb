import type { DemangledName } from './demangled-name';
import type { KernelDefinition } from './kernel-definitions';

/**
 * Scores how well a definition matches a kernel's name; 0 means no match. Macros can hide a namespace from the parser,
 * so only the base name is required; compiling decides which translation unit is right.
 */
export function matchScore(definition: KernelDefinition, name: DemangledName): number {
  if (definition.name !== name.base) return 0;
  const isTemplate = name.templateArguments !== null;
  return (
    1 +
    (scopeMatches(definition, name) ? 8 : 0) +
    (definition.isTemplate === isTemplate ? 4 : 0) +
    specializationScore(definition, name) +
    (name.parameters === null || name.parameters.length === definition.parameters.length ? 1 : 0)
  );
}

export function bestDefinition(definitions: readonly KernelDefinition[], name: DemangledName): KernelDefinition | null {
  const scored = definitions
    .map((definition) => ({ definition, score: matchScore(definition, name) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  return scored[0]?.definition ?? null;
}

/** A kernel whose name has no parameters is `extern "C"`, which ignores namespaces. */
function scopeMatches(definition: KernelDefinition, name: DemangledName): boolean {
  if (name.parameters === null) return definition.externC;
  return (
    !definition.externC &&
    definition.scope.length === name.scope.length &&
    definition.scope.every((part, index) => part === name.scope[index])
  );
}

/** An explicit specialisation runs only for its own arguments, the primary template for all others. */
function specializationScore(definition: KernelDefinition, name: DemangledName): number {
  if (definition.specialization === null) return name.templateArguments === null ? 0 : 2;
  const wanted = `<${(name.templateArguments ?? []).join(',')}>`;
  return withoutSpaces(definition.specialization) === withoutSpaces(wanted) ? 3 : 0;
}

function withoutSpaces(text: string): string {
  return text.split(/\s+/).join('');
}
