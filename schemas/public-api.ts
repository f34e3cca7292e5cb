/** One line of the snapshot for each option of an executor, class, field and parameter: its name, type, and whether it is required. */
export function publicApi(files: ReadonlyMap<string, string>): string {
  const lines = [...files].flatMap(([path, content]) => {
    const [, executor] = /^executors\/(.+)\/schema\.json$/.exec(path) ?? [];
    if (executor !== undefined) return executorLines(executor, content);
    return path.endsWith('.py') ? pythonLines(content) : [];
  });
  return `${lines.sort((a, b) => (a < b ? -1 : 1)).join('\n')}\n`;
}

interface Options {
  readonly properties: Readonly<Record<string, { readonly description?: string }>>;
  readonly required: readonly string[];
}

function executorLines(executor: string, content: string): string[] {
  const { properties, required } = JSON.parse(content) as Options;
  const options = Object.entries(properties).map(([name, { description: _, ...type }]) => {
    const isRequired = required.includes(name) ? 'required ' : '';
    return `executor ${executor} ${name}: ${isRequired}${JSON.stringify(type)}`;
  });
  return [`executor ${executor}`, ...options];
}

/** Fields of results.py and parameters of stages.py, as the text of both declares them. */
function pythonLines(content: string): string[] {
  const lines: string[] = [];
  let owner = '';
  let isByName = false;
  for (const line of withoutDocstrings(content)) {
    const [, type = '', bases = ''] = /^class (\w+)(.*):$/.exec(line) ?? [];
    const [, method = ''] = /^ {4}def ([a-z]\w*)\($/.exec(line) ?? [];
    const [, field] = /^ {4}(\w+: .+)$/.exec(line) ?? [];
    const [, parameter] = /^ {8}(\w+: .+),$/.exec(line) ?? [];
    const [, result] = /^ {4}\) -> (.+):$/.exec(line) ?? [];
    const [union] = /^\w+Result = Union.*$/.exec(line) ?? [];
    if (type !== '' || method !== '') [owner, isByName] = [type || method, false];
    if (line === '        *,') isByName = true;
    if (type !== '') lines.push(`python class ${type}${bases}`);
    if (field !== undefined) lines.push(`python class ${owner} ${field}`);
    if (parameter !== undefined) lines.push(`python method ${owner} ${parameter}${isByName ? '' : ', by position'}`);
    if (result !== undefined) lines.push(`python method ${owner} -> ${result}`);
    if (union !== undefined) lines.push(`python class ${union}`);
  }
  return lines;
}

/** Docstrings begin and end in lines that hold nothing else. */
function withoutDocstrings(content: string): string[] {
  let isInside = false;
  return content.split('\n').filter((line) => {
    const quotes = line.split('"""').length - 1;
    const isText = isInside || quotes > 0;
    if (quotes === 1) isInside = !isInside;
    return !isText;
  });
}
