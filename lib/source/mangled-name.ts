import { withoutModuleId } from '../toolchain/module-id';

/** Name of a function or variable without its return type and parameters, and the text behind it. */
interface Mangled {
  /** Outermost first, without template arguments; null for an anonymous namespace. */
  readonly names: readonly (string | null)[];
  /** As in source: `ns::(anonymous namespace)::scale<float>`. */
  readonly whole: string;
  readonly rest: string;
}

/**
 * Reads the name in a symbol (Itanium C++ ABI, 5.1). Null for symbols with parts that it does not know, such as
 * substitutions: a wrong name is worse than an ugly one.
 */
function mangledName(symbol: string): Mangled | null {
  if (!symbol.startsWith('_Z')) return null;
  return new Reader(symbol.slice(2)).name();
}

/** Types of one letter. */
const builtin: Readonly<Record<string, string>> = {
  ...{ v: 'void', b: 'bool', c: 'char', a: 'signed char', h: 'unsigned char', s: 'short', t: 'unsigned short' },
  ...{ i: 'int', j: 'unsigned int', l: 'long', m: 'unsigned long', x: 'long long', y: 'unsigned long long' },
  ...{ f: 'float', d: 'double' },
};
/** Letters of an integer literal, by its type; other types are written out. */
const literalSuffix: Readonly<Record<string, string>> = { i: '', j: 'u', l: 'l', m: 'ul', x: 'll', y: 'ull' };

/** Reads from the left. A method that returns null may have taken some text. */
class Reader {
  constructor(private rest: string) {}

  name(): Mangled | null {
    const isNested = this.take(/^N[VK]*/) !== null;
    const names: (string | null)[] = [];
    const parts: string[] = [];
    while (!isNested || this.take(/^E/) === null) {
      const name = this.sourceName();
      if (name === null) return null;
      const template = this.templateArguments();
      if (template === null) return null;
      if (name !== '_INTERNAL') {
        names.push(name.startsWith('_GLOBAL__N_') ? null : name);
        parts.push(`${names.at(-1) ?? '(anonymous namespace)'}${template}`);
      }
      if (!isNested) break;
    }
    return names.length === 0 ? null : { names, whole: parts.join('::'), rest: this.rest };
  }

  /** `L` marks internal linkage. */
  private sourceName(): string | null {
    const length = Number(this.take(/^L?\d+/)?.replace('L', '') ?? 0);
    const name = this.rest.slice(0, length);
    this.rest = this.rest.slice(length);
    return length > 0 && name.length === length ? name : null;
  }

  /** Empty text if there are none. */
  private templateArguments(): string | null {
    if (this.take(/^I/) === null) return '';
    const types: string[] = [];
    while (this.take(/^E/) === null) {
      const type = this.take(/^L(?!\d)/) === null ? this.type() : this.literal();
      if (type === null) return null;
      types.push(type);
    }
    return `<${types.join(', ')}>`;
  }

  private literal(): string | null {
    const taken = this.take(/^[bijlmxy]n?\d+E/);
    if (taken === null) return null;
    const [type, sign, digits] = [taken[0] ?? '', taken[1] === 'n' ? '-' : '', taken.replaceAll(/\D/g, '')];
    if (type === 'b') return digits === '0' ? 'false' : 'true';
    return `${sign}${digits}${literalSuffix[type] ?? ''}`;
  }

  private type(): string | null {
    const qualifier = this.take(/^[PRK]/);
    if (qualifier !== null) {
      const inner = this.type();
      return inner && `${inner}${{ P: '*', R: '&' }[qualifier] ?? ' const'}`;
    }
    const letter = this.take(/^[a-z]/);
    if (letter !== null) return builtin[letter] ?? null;
    return /^[NL\d]/.test(this.rest) ? (this.name()?.whole ?? null) : null;
  }

  private take(what: RegExp): string | null {
    const [taken] = what.exec(this.rest) ?? [];
    if (taken === undefined) return null;
    this.rest = this.rest.slice(taken.length);
    return taken;
  }
}

/** Suffix of HIP's static variables, which a digest of the file makes unique. */
const staticSuffix = /\.(static|intern)\.[0-9a-f]+$/;

/** A module variable as its source has it: `ns::table` of `_ZN2ns5tableE`; the symbol if that is not known. */
export function variableName(symbol: string): string {
  const plain = withoutModuleId(symbol.replace(staticSuffix, ''));
  if (!plain.startsWith('_Z')) return plain;
  if (plain.startsWith('_ZZ')) return staticOfFunction(plain.slice(3)) ?? symbol;
  const found = mangledName(plain);
  return found?.rest === '' ? found.whole : symbol;
}

/** Static variable in a function: its encoding, `E`, the variable, and a number if the function has several of this name. */
function staticOfFunction(text: string): string | null {
  for (const { index } of text.matchAll(/E(?=\d)/g)) {
    const [digits = ''] = /^\d+/.exec(text.slice(index + 1)) ?? [];
    const start = index + 1 + digits.length;
    const end = start + Number(digits);
    if (end > text.length || !/^(_\d|__\d+_)?$/.test(text.slice(end))) continue;
    const outer = mangledName(`_Z${text.slice(0, index)}`);
    return outer && `${outer.whole}()::${text.slice(start, end)}`;
  }
  return null;
}
