/** Layouts of the sections of a result file (native/trace/layout.h). */
export const dialects = ['warp-div', 'total', 'unit', 'hip-total'] as const;
export type Dialect = (typeof dialects)[number];

export const offsetChoices = ['repaired', 'recorded'] as const;
export type OffsetChoice = (typeof offsetChoices)[number];
