import { z } from 'zod';
import { count } from '../support/count';

const spanSchema = z.object({ min: count, max: count });

/** State of the GPU right after each timed launch, as kernloop-replay reports it (native/replay/core/device/conditions.h). */
export const conditionsSchema = z.looseObject({
  samples: count,
  sm_mhz: spanSchema.optional().describe('Clock of the multiprocessors.'),
  memory_mhz: spanSchema.optional(),
  celsius: spanSchema.optional(),
  slowed_by: z
    .array(z.object({ reason: z.string(), samples: count }))
    .describe('Why clocks were lower than they could be, and after how many launches.'),
});
export type Conditions = z.output<typeof conditionsSchema>;

/** Relative difference beyond which clocks affect a comparison. */
const sameClocks = 0.01;

/** Joins the conditions of several processes. */
export function mergeConditions(all: readonly Conditions[]): Conditions | null {
  const [first, ...rest] = all;
  return first === undefined ? null : rest.reduce(merged, first);
}

function merged(a: Conditions, b: Conditions): Conditions {
  const span = (name: 'sm_mhz' | 'memory_mhz' | 'celsius'): Partial<Conditions> => {
    const [x, y] = [a[name], b[name]];
    const both = x && y ? { min: Math.min(x.min, y.min), max: Math.max(x.max, y.max) } : (x ?? y);
    return both ? { [name]: both } : {};
  };
  const slowedBy = new Map(a.slowed_by.map(({ reason, samples }) => [reason, samples]));
  for (const { reason, samples } of b.slowed_by) slowedBy.set(reason, (slowedBy.get(reason) ?? 0) + samples);
  return {
    samples: a.samples + b.samples,
    ...span('sm_mhz'),
    ...span('memory_mhz'),
    ...span('celsius'),
    slowed_by: [...slowedBy].map(([reason, samples]) => ({ reason, samples })),
  };
}

export function conditionsWords({ samples, sm_mhz: sm, memory_mhz: memory, celsius, slowed_by }: Conditions): string {
  const parts = [
    sm && `SM ${spanWords(sm)} MHz`,
    memory && `memory ${spanWords(memory)} MHz`,
    celsius && `${spanWords(celsius)} °C`,
    ...slowed_by.map(({ reason, samples: slowed }) => `slowed by ${reason} after ${slowed} of ${samples} launches`),
  ];
  return parts.filter(Boolean).join(', ');
}

/** Says that the clocks of both sides differed, which affects the ratio of their times; null if they did not. */
export function clocksApart(captured: Conditions, variant: Conditions): string | null {
  const [a, b] = [captured.sm_mhz, variant.sm_mhz];
  if (!a || !b) return null;
  const apart = (x: number, y: number): boolean => Math.abs(x - y) > sameClocks * Math.max(x, y);
  return apart(a.min, b.min) || apart(a.max, b.max)
    ? `clocks were not the same for both: SM ${spanWords(a)} MHz after launches of the captured code, ${spanWords(b)} MHz after the variant's`
    : null;
}

function spanWords({ min, max }: { min: number; max: number }): string {
  return min === max ? String(min) : `${min}–${max}`;
}
