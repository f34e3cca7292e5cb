// C++ requires one definition of a type per program, and no compiler reports two: kernloop::softgpu::KernelDescriptor
// once had two layouts.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const native = join(__dirname, '..', '..', 'native');

/** Top-level types that a file defines in a named namespace; clang-format puts them at the start of a line. */
function definitions(source: string): string[] {
  const found: string[] = [];
  const namespaces: string[] = [];
  for (const line of source.split('\n')) {
    const opened = /^(?:inline )?namespace ([\w:]*) ?\{/.exec(line);
    if (opened) namespaces.push(opened[1] ?? '');
    if (/^\} {2}\/\/ namespace/.test(line)) namespaces.pop();
    const defined =
      /^(?:struct|class|union|enum(?: class)?) (?:alignas\([^)]*\) )?(\w+)(?: final)?(?: ?: ?[^:;][^;]*)? ?\{/.exec(
        line,
      );
    if (defined && namespaces.length > 0 && !namespaces.includes(''))
      found.push([...namespaces, defined[1] ?? ''].join('::'));
  }
  return found;
}

function definedTwice(files: Record<string, string>): Record<string, string[]> {
  const places = new Map<string, string[]>();
  for (const [file, source] of Object.entries(files)) {
    for (const name of definitions(source)) places.set(name, [...(places.get(name) ?? []), file]);
  }
  return Object.fromEntries([...places].filter(([, where]) => where.length > 1));
}

describe('definitions of C++ types', () => {
  it('finds a type that two files of a namespace define, and only that', () => {
    const inside = (text: string, name = 'kernloop::a') => `namespace ${name} {\n${text}\n}  // namespace ${name}\n`;
    expect(
      definedTwice({
        'one.h': inside('struct Twice {\n  int a;\n};\nclass Once final : public Base {\n};\nstruct Outer;'),
        'two.h': inside('struct Twice {\n  long a;\n};\nstruct Outer::Inner {\n};\nclass Outer {\n};'),
        'other.h': inside('struct Twice {\n};', 'kernloop::b'),
        'local.cpp':
          'namespace kernloop::a {\nnamespace {\nclass Once {\n};\n}  // namespace\n}  // namespace kernloop::a\n',
      }),
    ).toEqual({ 'kernloop::a::Twice': ['one.h', 'two.h'] });
  });

  it('has one of each in the native part', () => {
    const rooms = readdirSync(native, { withFileTypes: true }).filter(
      (entry) => entry.isDirectory() && entry.name !== 'build',
    );
    const names = rooms
      .flatMap((room) =>
        readdirSync(join(native, room.name), { recursive: true, encoding: 'utf8' }).map((name) =>
          join(room.name, name),
        ),
      )
      .filter((name) => /\.(h|cpp)$/.test(name));
    const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(native, name), 'utf8')]));
    expect(Object.values(files).flatMap(definitions).length).toBeGreaterThan(500);
    expect(definedTwice(files)).toEqual({});
  });
});
