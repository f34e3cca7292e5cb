// The makers of edits. `replace` has pairs of texts: one that stands in the kernel once, and the one in its place.

export const defect = (kind, kernel, name, replace, why, options = []) => ({
  kind,
  kernel,
  name,
  replace,
  why,
  options,
});

/** An edit after which the kernel is still right. `deserves`: the verdict, where that is not a pass. */
export const right = (way, kernel, name, replace, why, options = [], deserves = 'pass') => ({
  ...{ kind: way, kernel, name, replace, why, options, deserves },
});

/** Correct edits of which several are compiled at once (e2e/defects.integration.ts): each names what is its own inside of its kernel. */
export const small = (edits) => edits.map((edit) => ({ ...edit, isSmall: true }));

/** In place of a text that is replaced: the kernel's whole body. */
export const BODY = Symbol('body');
