/**
 * nvcc adds an id of the translation unit to names without external linkage: `_<crc32 of the absolute
 * path>_<length>_<file name>_<of the first function it defines, else of the process>`. The same source in another
 * folder therefore has other names.
 */
export interface ModuleIdPlace {
  id: string;
  /** Start and end of the id including its prefix. */
  start: number;
  end: number;
  /** Prefix for an id of any length. */
  lead: (id: string) => string;
}

const anonymousNamespace = '_GLOBAL__N_';
const internal = '_INTERNAL';
/** `36_GLOBAL__N_` and `34_INTERNAL` count a mangled name, `__nv_static_25_` counts the id alone. */
const leads = new RegExp(
  `(\\d+)(${anonymousNamespace}|${internal})(?=_[0-9a-f]{8}_\\d)|__nv_static_(\\d+)_(?=_[0-9a-f]{8}_\\d)`,
  'g',
);
const beforeFile = /^_[0-9a-f]{8}_(\d+)_/;
/** `_` and a hash, followed by a process number, or a name that is no longer than a hash. */
const maxTail = 24;

/** Finds every module id in a text with mangled names: a symbol, or PTX. */
export function findModuleIds(text: string): ModuleIdPlace[] {
  const found: ModuleIdPlace[] = [];
  const search = new RegExp(leads);
  for (let match = search.exec(text); match; match = search.exec(text)) {
    const place = readPlace(text, match);
    if (!place) continue;
    found.push(place);
    // The next prefix may start with a digit right after a hash that ends in one.
    search.lastIndex = place.end;
  }
  return found;
}

function readPlace(text: string, match: RegExpExecArray): ModuleIdPlace | null {
  const [lead, digits = '', name = '', staticLength] = match;
  const idAt = match.index + lead.length;
  if (staticLength !== undefined) {
    const id = idOfLength(text, idAt, Number(staticLength));
    return id === null
      ? null
      : { id, start: match.index, end: idAt + id.length, lead: ({ length }) => `__nv_static_${length}_` };
  }
  // A preceding name may end in digits too: only one split gives an id of the right form.
  for (let skipped = 0; skipped < digits.length; skipped += 1) {
    const length = Number(digits.slice(skipped)) - name.length;
    const id = digits[skipped] === '0' ? null : idOfLength(text, idAt, length);
    if (id === null) continue;
    return {
      ...{ id, start: match.index + skipped, end: idAt + id.length },
      lead: (other) => `${name.length + other.length}${name}`,
    };
  }
  return null;
}

function idOfLength(text: string, at: number, length: number): string | null {
  const id = text.slice(at, at + length);
  const before = beforeFile.exec(id);
  if (!before || id.length !== length) return null;
  const tail = length - before[0].length - Number(before[1]);
  return tail >= 2 && tail <= maxTail && id[length - tail] === '_' && /^\w+$/.test(id) ? id : null;
}

/** Replaces every module id in a text. */
export function replaceModuleIds(text: string, id: string): string {
  let result = '';
  let at = 0;
  for (const place of findModuleIds(text)) {
    result += text.slice(at, place.start) + place.lead(id) + id;
    at = place.end;
  }
  return result + text.slice(at);
}

/** Symbol without the part that depends on the source's path. */
export function withoutModuleId(symbol: string): string {
  return replaceModuleIds(symbol, '').replace(/^__nv_static_0__/, '');
}

/** File name in an id, as nvcc writes it. */
function fileOfModuleId(id: string): string {
  const before = beforeFile.exec(id);
  return before ? id.slice(before[0].length, before[0].length + Number(before[1])) : '';
}

/**
 * Finds a unit's module id in the captured code among the unit's known names; null if none has one. Linked code has
 * names of many units: only ids with this unit's file name count, and the kernel's own comes first.
 */
export function capturedModuleId(symbol: string, variables: readonly string[], unit: string): string | null {
  const file = unit.replaceAll(/\W/g, '_');
  const ofUnit = (names: readonly string[]): string[] => [
    ...new Set(
      names.flatMap((name) => findModuleIds(name).map(({ id }) => id)).filter((id) => fileOfModuleId(id) === file),
    ),
  ];
  const [own] = ofUnit([symbol]);
  const others = ofUnit(variables);
  return own ?? (others.length === 1 ? (others[0] ?? null) : null);
}
