import { addressCode, bodyCode, frameRegister, isOfWarps, lanesCode, type Names, type Place } from './emit';
import type { Guard, Scope } from '../../ptx/module';

/** Code that runs before a thread leaves the kernel. */
export function exitCode(place: Place, scope: Scope, guard: Guard | null, names: Names): string[] {
  const { plan } = place;
  const code: string[] = [];
  let last: Guard | null = null;
  for (const { probe, atKernel, after } of plan.probes) {
    if (!atKernel || after === null) continue;
    if (probe.level === 'warp' && last === null) {
      last = { register: names.register(), negated: false };
      code.push(...lastLaneCode(place, guard, last.register, names));
    }
    const body = bodyCode(after, {
      ...{ place, probe: probe.name, names, scope, values: new Map<string, string>() },
      guard,
      ...(probe.level === 'warp' && last ? { leader: last } : {}),
    });
    code.push(`{ // probe ${probe.name}`, ...body, '}');
  }
  return [...code, ...countsCode(place, guard, names)];
}

/**
 * A warp ends when its last lane leaves, at this exit or another. The first of the lanes that leave together decides.
 * If all lanes leave together, which is how most warps end, no memory is touched.
 */
function lastLaneCode({ plan, isEntry }: Place, guard: Guard | null, last: string, names: Names): string[] {
  const [mask, lower, leaving, lanes, before] = Array.from({ length: 5 }, () => names.register());
  const [some, done, exits] = [names.register(), names.register(), names.register()];
  const operand = guard ? `${guard.negated ? '!' : ''}${guard.register}` : null;
  if (plan.exitsParameter === null) throw new Error('a probe at the end of warps has a buffer of exits');
  return [
    `.reg .pred ${last}; {`,
    `.reg .b32 ${mask}, ${lower}, ${leaving}, ${lanes}, ${before}; .reg .pred ${some}, ${done}; .reg .b64 ${exits};`,
    `activemask.b32 ${mask};`,
    ...(operand === null ? [] : [`vote.sync.ballot.b32 ${mask}, ${operand}, ${mask};`]),
    `mov.u32 ${lower}, %lanemask_lt; and.b32 ${lower}, ${lower}, ${mask}; popc.b32 ${leaving}, ${mask};`,
    `setp.eq.${operand === null ? '' : 'and.'}u32 ${last}, ${lower}, 0${operand === null ? '' : `, ${operand}`};`,
    '{',
    ...lanesCode(lanes ?? '', names),
    '}',
    `setp.ne.and.u32 ${some}, ${leaving}, ${lanes}, ${last}; mov.u32 ${before}, 0;`,
    ...(isEntry
      ? ['{', ...addressCode(plan.exitsParameter, 'warp', 4, exits ?? '', names), '}']
      : [`ld.local.u64 ${exits}, [${frameRegister(plan)}+${plan.exitsOffset}];`]),
    `@${some} atom.global.add.u32 ${before}, [${exits}], ${leaving};`,
    `add.u32 ${before}, ${before}, ${leaving}; setp.eq.and.u32 ${done}, ${before}, ${lanes}, ${last}; mov.pred ${last}, ${done};`,
    '}',
  ];
}

/** Stores how many records each thread wanted to write. */
function countsCode(place: Place, guard: Guard | null, names: Names): string[] {
  const lead = guard ? `@${guard.negated ? '!' : ''}${guard.register} ` : '';
  const { plan, isEntry, early } = place;
  return plan.maps
    .filter((map) => !isOfWarps(map))
    .flatMap((map) => {
      if (isEntry && early.has(map)) return [`${lead}st.global.u32 [${map.counts}], ${map.count};`];
      const counts = names.register();
      const code = isEntry
        ? addressCode(map.countsParameter, map.map.level, 4, counts, names)
        : [`ld.local.u64 ${counts}, [${frameRegister(plan)}+${map.frameOffset + 8}];`];
      return [`{ .reg .b64 ${counts};`, ...code, `${lead}st.global.u32 [${counts}], ${map.count}; }`];
    });
}
