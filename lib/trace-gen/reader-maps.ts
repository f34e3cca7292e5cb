import {
  fieldOffsets,
  invalid,
  recordBytes,
  type FieldType,
  type Level,
  type ProbeFile,
  type TraceMap,
} from '../trace/probe-file';
import type { Language } from './options';

/** A map with the facts that generators need. */
export interface ReaderMap {
  readonly name: string;
  readonly level: Level;
  /** Bytes of a thread or warp; null if the program counts its records. */
  readonly unitBytes: number | null;
  readonly recordBytes: number;
  readonly fields: readonly { readonly name: string; readonly type: FieldType; readonly offset: number }[];
}

/** Reserved names that a map or field cannot have in a language. */
const taken: Readonly<Record<Language, ReadonlySet<string>>> = {
  python: words(
    'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield np Path NamedTuple TraceHeader TraceSection parse',
  ),
  typescript: words(
    'break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with implements interface let package private protected public static yield await',
  ),
  c: words(
    'auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool bool true false class template typename namespace new delete this private public protected virtual operator',
  ),
};

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

export function readerMaps({ maps }: ProbeFile, language: Language, path: string): ReaderMap[] {
  return maps.map((map) => {
    for (const name of [map.name, ...map.fields.map((field) => field.name)]) {
      if (taken[language].has(name)) throw invalid(path, `map ${map.name}: ${name} is a word of ${language}`);
    }
    return readerMap(map);
  });
}

function readerMap(map: TraceMap): ReaderMap {
  const offsets = fieldOffsets(map);
  return {
    name: map.name,
    level: map.level,
    unitBytes: map.capacity === 'dynamic' ? null : map.size * map.capacity,
    recordBytes: recordBytes(map),
    fields: map.fields.map(({ name, type }) => ({ name, type, offset: offsets.get(name) ?? 0 })),
  };
}

/** Text such as "16 bytes, 2 records a thread". */
export function describeMap({ level, unitBytes, recordBytes }: ReaderMap): string {
  const slots =
    unitBytes === null ? 'as many records as the program counts' : `${Math.floor(unitBytes / recordBytes)} records`;
  return `Records of ${recordBytes} bytes, ${slots} a ${level}.`;
}
