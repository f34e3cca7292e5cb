import type { CaptureJson } from '../archive/capture-files';
import type { KernelJson } from '../reproducer/kernel-json';
import { faultWords } from '../replay/fault-words';
import { claimsOn, type Claim } from '../reproducer/signature';
import { variableName } from '../source/mangled-name';
import type { ComparedRegion } from '../validate/report-json';

/** Names of captured memory, the same wherever a page mentions it. */
export interface PlaceNames {
  /** Region or module variable of a comparison. */
  of(place: Pick<ComparedRegion, 'region' | 'variable'>): string;
  /** Text of another stage, which knows regions by their ids, and variables by their symbols. */
  inText(text: string): string;
  /** Arrays in a region, each with the parameters that point to it. */
  claims(region: string | undefined): readonly Claim[];
}

/**
 * Names a region by the parameters that point into it, or by its address, and a module variable as the source does.
 * Without a capture nothing is known but the ids.
 */
export function placeNames(config: KernelJson, capture: CaptureJson | null): PlaceNames {
  const claims = new Map(
    capture?.regions.map(
      (region) => [region.id, claimsOn({ ...region, base: BigInt(region.base) }, config, capture)] as const,
    ),
  );
  const names = new Map(
    capture?.regions.map(({ id, base }) => {
      const parameters = (claims.get(id) ?? []).flatMap((claim) => claim.parameters.map(parameterName));
      return [id, parameters.length > 0 ? [...new Set(parameters)].join(', ') : `buffer at ${base}`];
    }),
  );
  const variables = variableNames(capture);
  const taken = new Set(config.args.map(({ name }) => name));
  const kernel: [string, string][] = capture ? [[capture.kernel.symbol, capture.kernel.name]] : [];
  const inText = new Map([...kernel, ...[...names].filter(([id]) => !taken.has(id)), ...variables]);
  return {
    of: ({ region, variable }) => names.get(region ?? '') ?? variables.get(variable ?? '') ?? region ?? variable ?? '?',
    // A file may have the name of a region: only whole words are names.
    inText: (text) =>
      (capture === null ? text : faultWords(text, { reproducer: { config }, capture })).replaceAll(
        /(?<![\w./-])[A-Za-z_]\w*(?:\.\w+)*(?![\w/-])/g,
        (word) => inText.get(word) ?? word,
      ),
    claims: (region) => claims.get(region ?? '') ?? [],
  };
}

export const parameterName = ({ name, index }: KernelJson['args'][number]): string => name ?? `argument ${index}`;

/** Symbols stay where two variables have the same name in the source. */
function variableNames(capture: CaptureJson | null): Map<string, string> {
  const symbols = capture?.module_variables.map(({ name }) => name) ?? [];
  const named = symbols.map(variableName);
  return new Map(
    symbols.map((symbol, index) => {
      const name = named[index] ?? symbol;
      return [symbol, named.indexOf(name) === named.lastIndexOf(name) ? name : symbol];
    }),
  );
}
