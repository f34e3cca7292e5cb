import { z } from 'zod';
import type { Stage } from '../lib/stage/stage';
import { attributeOf, docstring, literal, pythonName, singular, wrapped } from './python-text';

/** Output of z.toJSONSchema for the results of stages. */
interface Schema {
  type?: string | string[];
  description?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema | Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
}

/** The dataclasses of a stage's result: those that others hold first. Shapes that are equal have one class. */
export function resultClasses({ name, result, summary }: Stage): string[][] {
  const schema = z.toJSONSchema(result, { io: 'output', target: 'draft-7' }) as Schema;
  return new Classes(attributeOf(name), summary).ofResult(schema);
}

class Classes {
  private readonly written: string[][] = [];
  private readonly byShape = new Map<string, string>();
  private readonly names = new Set<string>();

  constructor(
    private readonly stage: string,
    private readonly summary: string,
  ) {}

  ofResult(schema: Schema): string[][] {
    const name = `${this.stage}Result`;
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices === undefined) {
      this.dataclass(name, this.stage, schema, true);
    } else {
      const kinds = choices.map((one, index) => {
        const own = variantName(this.stage, one, index);
        this.dataclass(own, own, one, true);
        return own;
      });
      this.written.push([`${name} = Union[${kinds.join(', ')}]`, ...docstring([this.summary], 0)]);
    }
    return this.written;
  }

  /** `path` names the classes that it holds. */
  private dataclass(name: string, path: string, schema: Schema, isResult: boolean): string {
    if (this.names.has(name)) throw new Error(`two classes of Python would be called ${name}`);
    this.names.add(name);
    const { properties = {}, required = [], additionalProperties } = schema;
    const fields = Object.entries(properties).map(([key, property]) => this.fieldLines(path, key, property, required));
    const own = new Set(Object.keys(properties).map(pythonName));
    const added = [
      ...(isResult && !own.has('exit_code') ? [['exit_code: int', '"""Of the verb."""']] : []),
      ...(isOpen(additionalProperties)
        ? [['extra: dict[str, Any] = field(default_factory=dict)', '"""What it has besides, by its name in JSON."""']]
        : []),
    ];
    const body = [...fields, ...added].flatMap((lines) => lines.map((line) => `    ${line}`));
    const text = schema.description ?? (isResult ? this.summary : undefined);
    this.written.push([
      '@dataclass(frozen=True, kw_only=True)',
      `class ${name}${isResult ? '(StageResult)' : ''}:`,
      ...(text === undefined ? [] : [...docstring(wrapped(text, 120, ''), 4), '']),
      ...body,
    ]);
    return name;
  }

  private fieldLines(path: string, key: string, property: Schema, required: readonly string[]): string[] {
    const name = pythonName(key);
    const type = this.typeOf(`${path}${attributeOf(key)}`, property);
    const isRequired = required.includes(key);
    const settings = [
      ...(isRequired ? [] : ['default=None']),
      ...(name === key ? [] : [`metadata={"json": ${literal(key)}}`]),
    ];
    const value = name === key ? (isRequired ? '' : ' = None') : ` = field(${settings.join(', ')})`;
    const hint = isRequired || /(^| )(None|Any)$/.test(type) ? type : `${type} | None`;
    const text = property.description;
    return [`${name}: ${hint}${value}`, ...(text === undefined ? [] : docstring(wrapped(text, 120, ''), 0))];
  }

  private typeOf(path: string, schema: Schema): string {
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices !== undefined) {
      return union(
        choices.map((one, index) =>
          this.typeOf(isClass(one) && choices.filter(isClass).length > 1 ? variantName(path, one, index) : path, one),
        ),
      );
    }
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    if (schema.enum !== undefined) return union([`Literal[${schema.enum.map(literal).join(', ')}]`]);
    if (Array.isArray(schema.type)) return union(schema.type.map((type) => this.typeOf(path, { ...schema, type })));
    switch (schema.type) {
      case 'string':
        return 'str';
      case 'integer':
        return 'int';
      case 'number':
        return 'float';
      case 'boolean':
        return 'bool';
      case 'null':
        return 'None';
      case 'array':
        return this.arrayOf(path, schema.items ?? {});
      case 'object':
        return this.objectOf(path, schema);
      case undefined:
        return 'Any';
      default:
        throw new Error(`${path}: the client of Python knows no type ${String(schema.type)}`);
    }
  }

  private arrayOf(path: string, items: Schema | Schema[]): string {
    if (Array.isArray(items)) return `tuple[${items.map((one) => this.typeOf(path, one)).join(', ')}]`;
    return `list[${this.typeOf(singular(path), items)}]`;
  }

  private objectOf(path: string, schema: Schema): string {
    if (!isClass(schema)) {
      const values = schema.additionalProperties;
      return `dict[str, ${typeof values === 'object' ? this.typeOf(path, values) : 'Any'}]`;
    }
    const shape = JSON.stringify({ ...schema, description: undefined });
    const known = this.byShape.get(shape);
    if (known !== undefined) return known;
    const free = this.names.has(path) ? `${path}Entry` : path;
    const name = this.dataclass(free, path, schema, false);
    this.byShape.set(shape, name);
    return name;
  }
}

const isClass = ({ type, properties }: Schema): boolean => type === 'object' && properties !== undefined;
const isOpen = (additional: Schema['additionalProperties']): boolean =>
  additional !== undefined && additional !== false;

/** Name of one of several shapes: the word that tells it apart, else a number. */
function variantName(path: string, { properties = {} }: Schema, index: number): string {
  const word = Object.values(properties).find((property) => typeof property.const === 'string')?.const;
  return `${path}${typeof word === 'string' ? attributeOf(word.replaceAll('_', '-')) : index + 1}`;
}

function union(types: readonly string[]): string {
  const each = [...new Set(types)];
  if (each.includes('Any')) return 'Any';
  return [...each.filter((type) => type !== 'None'), ...each.filter((type) => type === 'None')].join(' | ');
}
