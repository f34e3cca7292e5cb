import { singular } from './python-text';

/** Output of z.toJSONSchema, as far as it holds other schemas. */
interface Node {
  readonly description?: string;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
  readonly allOf?: readonly Node[];
  readonly items?: Node | readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: boolean | Node;
  readonly [keyword: string]: unknown;
}

/** A shorter body is easier to read in its place than behind a reference. */
const shortestBody = 120;

/**
 * The schema with each body that it repeats written once, under `definitions`: the keyword of draft 7 for what later
 * drafts call `$defs`. A description belongs to its place and stays there, beside the reference.
 */
export function withSharedBodies(schema: object): object {
  const bodies = new Bodies();
  bodies.count(schema as Node, 'value');
  const shared = bodies.replacedIn(schema as Node, true);
  const definitions = bodies.definitions();
  return Object.keys(definitions).length === 0 ? shared : { ...shared, definitions };
}

interface Body {
  readonly node: Node;
  readonly hint: string;
  places: number;
}

class Bodies {
  private readonly bodies = new Map<string, Body>();
  private readonly names = new Map<string, string>();

  /** `hint` is the nearest name around it. A known body is not entered again: its parts have one place, in it. */
  count(node: Node, hint: string): void {
    const key = keyOf(node);
    const known = this.bodies.get(key);
    if (known !== undefined) {
      known.places += 1;
      return;
    }
    this.bodies.set(key, { node, hint, places: 1 });
    withChildren(node, hint, (child, name) => {
      this.count(child, name);
      return child;
    });
  }

  replacedIn(node: Node, isDefinition = false): Node {
    const key = keyOf(node);
    if (!isDefinition && this.isShared(key)) {
      const { description } = node;
      const reference = { $ref: `#/definitions/${this.nameOf(key)}` };
      return description === undefined ? reference : { description, ...reference };
    }
    return withChildren(node, '', (child) => this.replacedIn(child));
  }

  definitions(): Record<string, Node> {
    const shared = [...this.bodies].filter(([key]) => this.isShared(key));
    const rows = shared.map(([key, { node }]): [string, Node] => {
      const { description: _, ...body } = node;
      return [this.nameOf(key), this.replacedIn(body, true)];
    });
    return Object.fromEntries(rows.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private isShared(key: string): boolean {
    return key.length >= shortestBody && (this.bodies.get(key)?.places ?? 0) > 1;
  }

  /** The name of its first place; two bodies of one name are numbered in the order of their places. */
  private nameOf(key: string): string {
    const known = this.names.get(key);
    if (known !== undefined) return known;
    const hint = this.bodies.get(key)?.hint ?? 'value';
    const taken = new Set(this.names.values());
    let name = hint;
    for (let number = 2; taken.has(name); number += 1) name = `${hint}${number}`;
    this.names.set(key, name);
    return name;
  }
}

function keyOf(node: Node): string {
  const { description: _, ...body } = node;
  return JSON.stringify(body);
}

/** A copy whose child schemas are those that `replace` returns. */
function withChildren(node: Node, hint: string, replace: (child: Node, hint: string) => Node): Node {
  const each = (nodes: readonly Node[] | undefined): Node[] | undefined => nodes?.map((child) => replace(child, hint));
  const { anyOf, oneOf, allOf, items, properties, additionalProperties } = node;
  return {
    ...node,
    ...(anyOf && { anyOf: each(anyOf) }),
    ...(oneOf && { oneOf: each(oneOf) }),
    ...(allOf && { allOf: each(allOf) }),
    ...(items && { items: isList(items) ? each(items) : replace(items, singular(hint)) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, child]) => [name, replace(child, name)])),
    }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: replace(additionalProperties, hint) }),
  };
}

const isList = (items: Node | readonly Node[]): items is readonly Node[] => Array.isArray(items);
