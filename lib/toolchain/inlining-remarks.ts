/**
 * The first call that the inliner did not decide by the words "always" and "no definition" alone, out of its optimisation record (YAML, one document a
 * call). All else depends on what else calls the function: what a call costs has a bonus for the last one, which the record adds in silence; arguments
 * that all callers share are made constants, within functions that stay, too. Null where there is none, as with hipcc, which inlines everything.
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
