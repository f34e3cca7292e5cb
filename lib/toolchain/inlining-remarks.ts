/**
 * Finds, in the inliner's optimisation record (YAML, one document per call), the first call that it did not decide by
 * "always" or "no definition" alone. Every other decision depends on the function's other callers: the cost includes an
 * unreported bonus for the last call, and arguments that all callers share become constants, also within remaining
 * functions. Null if there is none, as with hipcc, which inlines everything.
 */
export function decisionByCallers(record: string): string | null {
  for (const remark of record.split(/^--- /m).slice(1)) {
    if (!/^Pass: +inline$/m.test(remark)) continue;
    const named = (key: string): string | null =>
      new RegExp(`^(?:  - )?${key}: +'?([^'\\n]*)'?$`, 'm').exec(remark)?.[1] ?? null;
    const name = named('Name');
    const isByWord = remark.startsWith('!Passed')
      ? name === 'AlwaysInline' || named('Cost') === 'always'
      : name === 'NoDefinition';
    if (!isByWord) return named('Callee') ?? 'a function';
  }
  return null;
}
