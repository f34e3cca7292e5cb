import type { Node } from 'web-tree-sitter';
import type { SourceParser } from '../source/source-parser';
import type { Value } from '../support/expression';
import type { Place } from './text-edits';

/** Values of dictionary literals: for `OPTIONS = {"num_warps": 4}`, OPTIONS → num_warps → position of the 4. */
export function dictionaryValues(text: string, parser: SourceParser): Map<string, Map<string, Place>> {
  return parser.parse(text, (root) => {
    const found = new Map<string, Map<string, Place>>();
    for (const statement of root.namedChildren) {
      const assignment = statement?.type === 'expression_statement' ? statement.namedChildren[0] : null;
      if (assignment?.type !== 'assignment') continue;
      const [name, value] = [assignment.childForFieldName('left'), assignment.childForFieldName('right')];
      if (name?.type === 'identifier' && value?.type === 'dictionary') found.set(name.text, pairsOf(value));
    }
    return found;
  });
}

function pairsOf(dictionary: Node): Map<string, Place> {
  const pairs = new Map<string, Place>();
  for (const pair of dictionary.namedChildren) {
    const [key, value] = pair?.type === 'pair' ? [pair.childForFieldName('key'), pair.childForFieldName('value')] : [];
    const name = key?.type === 'string' ? /^(["'])(\w+)\1$/.exec(key.text)?.[2] : undefined;
    if (name !== undefined && value)
      pairs.set(name, { start: value.startIndex, end: value.endIndex, text: value.text });
  }
  return pairs;
}

/** Formats a value as the script does: floats stay floats, and names of Triton (`tl.float16`) stay names. */
export function pythonText(value: Value, before: Place): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return /^(?:tl|None)(?:\.\w+)*$/.test(value) ? value : JSON.stringify(value);
  const isFloat = /^-?\d*\.\d*(e[-+]?\d+)?$|^-?\d+e[-+]?\d+$/.test(before.text);
  return isFloat && Number.isInteger(value) ? `${value}.0` : String(value);
}
