import { readPythonModule } from './python-module';
import { reducePython, type ReducedModule } from './reduce-python';
import { openSourceParser, type SourceParser } from './source-parser';

describe('what a Triton kernel is compiled from', () => {
  let parser: SourceParser;
  beforeAll(async () => {
    parser = await openSourceParser('python');
  });

  const reduce = (
    files: Readonly<Record<string, string>>,
    kernel: string,
    values: Readonly<Record<string, string>> = {},
  ): { taken: Record<string, string[]>; modules: ReducedModule[]; unexplained: string[] } => {
    const modules = new Map(
      Object.entries(files).map(([name, text]) => {
        const parent = name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : null;
        return [name, { name, package: parent, parsed: readPythonModule(text, parser) }];
      }),
    );
    const [module = '', qualname = ''] = kernel.split(':');
    const made = reducePython({
      modules,
      roots: [{ module, qualname }],
      valueOf: (of, name) => values[`${of}.${name}`],
      nestedOf: () => undefined,
    });
    const taken = made.modules.map((one): [string, string[]] => [
      one.name,
      [
        ...one.values.map(({ name, text }) => `${name} = ${text}`),
        ...one.statements.map(({ statement, imports }) =>
          statement.isImport ? imports.map(({ bound }) => bound ?? '*').join() : (statement.binds[0] ?? ''),
        ),
      ],
    ]);
    return { taken: Object.fromEntries(taken), ...made };
  };

  const tl = 'import triton\nimport triton.language as tl\n';

  it('leaves out what the module does besides, and keeps every line in its place', () => {
    const text = `${tl}run_the_app()\n\nUSED = tl.constexpr(1)\nOTHER = 2\n\n@triton.jit\ndef k(x, OTHER: tl.constexpr):\n    OTHER = OTHER\n    tl.store(x, USED)\n`;
    const { taken, modules, unexplained } = reduce({ m: text }, 'm:k');
    // OTHER is local to the kernel, not a name of the module.
    expect([taken, unexplained]).toEqual([{ m: ['triton', 'tl', 'USED', 'k'] }, []]);
    expect(modules[0]?.statements.map(({ statement: { line } }) => line)).toEqual([1, 2, 5, 8]);
  });

  it.each([
    ['a relative import', 'from .math import gelu as act', 'act(1)'],
    ['one of a module', 'from . import math as m', 'm.gelu(1)'],
    ['an absolute import', 'from pkg.math import gelu as act', 'act(1)'],
    ['everything of a module', 'from .math import *', 'gelu(1)'],
    ['an import that may fail', 'try:\n    from .math import gelu\nexcept ImportError:\n    gelu = None', 'gelu(1)'],
  ])('follows %s', (_case, statement, call) => {
    const math = `${tl}from .constants import HALF, UNUSED\n\n@triton.jit\ndef gelu(x):\n    return x * HALF\n\n@triton.jit\ndef other(x):\n    return x\n`;
    const files = {
      'pkg.k': `${tl}${statement}\n\n@triton.jit\ndef k(x):\n    tl.store(x, ${call})\n`,
      'pkg.math': math,
      'pkg.constants': 'HALF = tl.constexpr(0.5)\nUNUSED = open("/nowhere")\n',
    };
    const { taken } = reduce(files, 'pkg.k:k');
    expect(taken['pkg.math']).toEqual(['triton', 'HALF', 'gelu']);
    expect(taken['pkg.constants']).toEqual(['HALF']);
  });

  it('leaves out autotuners, heuristics and wrappers with what only they read', () => {
    const text = `${tl}from wrappers import entry\ndef configurations():\n    return []\n\n@entry()\n@triton.autotune(configs=configurations(), key=["n"])\n@triton.heuristics({"E": lambda a: a["n"] % 16 == 0})\n@triton.jit(do_not_specialize=["n"])\ndef k(x, n, E: tl.constexpr):\n    tl.store(x, n)\n`;
    const { taken, modules } = reduce({ m: text }, 'm:k');
    expect(taken).toEqual({ m: ['triton', 'tl', 'k'] });
    expect(modules[0]?.dropped.map((decorator) => decorator.slice(0, 18))).toEqual([
      '@entry()',
      '@triton.autotune(c',
      '@triton.heuristics',
    ]);
  });

  it('takes a kernel out of a function, with what its enclosing function had', () => {
    const text = `${tl}def make(width):\n    WIDTH = tl.constexpr(width)\n    @triton.jit\n    def k(x):\n        tl.store(x, WIDTH)\n    return k\n`;
    const { taken, modules } = reduce({ m: text }, 'm:make.<locals>.k', { 'm.WIDTH': 'tl.constexpr(8)' });
    expect(taken).toEqual({ m: ['WIDTH = tl.constexpr(8)', 'triton', 'tl', 'k'] });
    expect(modules[0]?.statements.at(-1)?.statement.lines).toEqual([
      '@triton.jit',
      'def k(x):',
      '    tl.store(x, WIDTH)',
    ]);
  });

  it('gives what is imported from elsewhere by its value, and says what nothing explains', () => {
    const text = `${tl}from settings import EPS\n\n@triton.jit\ndef k(x):\n    tl.store(x, EPS + MISSING)\n`;
    const { taken, unexplained } = reduce({ m: text }, 'm:k', { 'm.EPS': 'tl.constexpr(1e-05)' });
    expect([taken, unexplained]).toEqual([{ m: ['EPS = tl.constexpr(1e-05)', 'triton', 'tl', 'k'] }, ['m.MISSING']]);
  });

  it('keeps helpers that call each other', () => {
    const text = `${tl}@triton.jit\ndef a(x):\n    return b(x)\n\n@triton.jit\ndef b(x):\n    return a(x)\n\n@triton.jit\ndef k(x):\n    tl.store(x, a(1))\n`;
    expect(reduce({ m: text }, 'm:k').taken).toEqual({ m: ['triton', 'tl', 'a', 'b', 'k'] });
  });
});
