/** What LLVM's inliner adds in favour of the last call of a function that nothing else can call: of every target, and of AMDGPU since LLVM 18. */
const lastCallBonuses = [165_000, 15_000];

/** What the inliner did not decide by what a call costs. */
const decidedByName = ['NoDefinition', 'NeverInline'];

/**
 * The first call of which the inliner may decide otherwise where more functions call the same one, out of its optimisation record (YAML, one document a
 * call): one that is inlined only because no other is left, or one that is not, though it may be the last elsewhere. Null where there is none.
 */
export function decisionByCallers(record: string): string | null {
  for (const remark of record.split(/^--- /m).slice(1)) {
    if (!/^Pass: +inline$/m.test(remark)) continue;
    const named = (key: string): string | null =>
      new RegExp(`^(?:  - )?${key}: +'?([^'\\n]*)'?$`, 'm').exec(remark)?.[1] ?? null;
    const callee = named('Callee') ?? 'a function';
    if (!remark.startsWith('!Passed')) {
      if (decidedByName.includes(named('Name') ?? '')) continue;
      return callee;
    }
    const [cost, threshold] = [named('Cost'), named('Threshold')];
    if (cost === null || cost === 'always') continue;
    const bonus = lastCallBonuses.find((each) => Number(cost) < -each / 2) ?? 0;
    // NaN, where the record is not what it is taken for, is no answer that could be relied on.
    if (!(bonus === 0 ? Number.isFinite(Number(cost)) : Number(cost) + bonus <= Number(threshold ?? 'none')))
      return callee;
  }
  return null;
}
