import { rmSync, symlinkSync, utimesSync } from 'node:fs';
import { TestWorkspace, writeReproducer, writeVariant } from '../../lib/testing/workspace';
import { builtFile, judgedFile } from '../../lib/task-inputs/value-files';
import { reproducerValues } from './reproducer-values';

const root = 'kernels/app/saxpy';
let workspace: TestWorkspace;
beforeEach(() => {
  workspace = new TestWorkspace();
  writeReproducer(workspace);
});
afterEach(() => workspace.dispose());

const made = (argv: string[] = [], env: Record<string, string> = {}) =>
  reproducerValues([`${root}/kernel.json`], workspace.root, argv, env, 'toolchain');
const judged = (argv: string[] = [], env: Record<string, string> = {}) => made(argv, env).values[judgedFile(root)];
const edit = (path: string, change: (json: Record<string, unknown>) => object) =>
  workspace.write(path, change(JSON.parse(workspace.read(path)) as Record<string, unknown>));

describe('what validate judges', () => {
  const named = ['--variant', '/outside.hsaco'];
  const elsewhere = () => workspace.write('elsewhere.hsaco', 'x');
  const rtol = { validate: { rtol: 1 } };
  const inputs: { name: string; change: () => void; argv?: string[]; env?: Record<string, string> }[] = [
    { name: 'kernel.json', change: () => edit(`${root}/kernel.json`, (json) => ({ ...json, demangled: 'other' })) },
    { name: 'a code object beside it', change: () => workspace.write(`${root}/mine.hsaco`, 'x') },
    { name: 'one in build/', change: () => workspace.write(`${root}/build/optimized.cubin`, 'x') },
    { name: 'options of the app', change: () => edit('app/kernloop.json', (json) => ({ ...json, options: rtol })) },
    { name: '--variant elsewhere', change: elsewhere, argv: ['--variant', '../../../elsewhere.hsaco'] },
    { name: '--variant=', change: elsewhere, argv: ['--variant=../../../elsewhere.hsaco'] },
    {
      name: 'KERNLOOP_VALIDATE_VARIANT',
      change: elsewhere,
      env: { KERNLOOP_VALIDATE_VARIANT: '../../../elsewhere.hsaco' },
    },
  ];

  it.each(inputs)('changes with $name', ({ change, argv, env }) => {
    const before = judged(argv, env);
    expect(judged(argv, env)).toBe(before);
    change();
    expect(judged(argv, env)).not.toBe(before);
  });

  it.each([
    [
      'project.json',
      () => workspace.write(`${root}/project.json`, { targets: { validate: { options: { variant: 'x/y' } } } }),
    ],
    ['nx.json', () => workspace.write('nx.json', { targetDefaults: { validate: { options: { variant: 'x/y' } } } })],
    [
      'kernel.json',
      () => edit(`${root}/kernel.json`, (json) => ({ ...json, options: { validate: { variant: 'x/y' } } })),
    ],
  ])('follows a variant that %s names, by its content alone', (_name, name) => {
    name();
    expect(made().tracked).toEqual(['x/y']);
    const path = workspace.write(`${root}/x/y`, 'one');
    const before = judged();
    utimesSync(path, 1, 1);
    expect(judged()).toBe(before);
    workspace.write(`${root}/x/y`, 'two');
    utimesSync(path, 1, 1);
    expect(judged()).not.toBe(before);
  });

  it('looks behind links: of a code object, and of a capture', () => {
    workspace.write('elsewhere/mine.hsaco', 'one');
    symlinkSync(workspace.path('elsewhere/mine.hsaco'), workspace.path(root, 'mine.hsaco'));
    const one = judged();
    workspace.write('elsewhere/mine.hsaco', 'two');
    const two = judged();
    expect(two).not.toBe(one);
    rmSync(workspace.path(root, 'capture'), { recursive: true });
    workspace.write('elsewhere/capture/capture.json', 'one');
    symlinkSync(workspace.path('elsewhere/capture'), workspace.path(root, 'capture'));
    const linked = judged();
    workspace.write('elsewhere/capture/capture.json', 'two');
    expect(judged()).not.toBe(linked);
  });

  it.each([
    ['README.md', () => workspace.write(`${root}/README.md`, 'edited')],
    ['notes in build/', () => workspace.write(`${root}/build/notes.txt`, 'mine')],
    ['what recompile builds, which Nx hashes as its output', () => writeVariant(workspace)],
    ['another command line', () => undefined],
  ])('does not change with %s', (_name, change) => {
    const before = judged(named);
    change();
    expect(judged([...named, '--verbose'])).toBe(before);
  });
});

describe('what recompile built', () => {
  it('has no value twice where it is not known to be of the sources as they are', () => {
    const built = () => made().values[builtFile(root)];
    expect(built()).not.toBe(built());
    // A file of an older version, without the files outside.
    writeVariant(workspace);
    expect(built()).not.toBe(built());
  });

  it('is of its own for each reproducer', () => {
    expect(builtFile('kernels/a-b/c')).not.toBe(builtFile('kernels/a/b-c'));
    expect(builtFile(root)).toMatch(/^\.kernloop\/inputs\/[0-9A-Z]{12}\/built$/);
    expect(judgedFile(root)).not.toBe(builtFile(root));
  });

  it('does not end the command where a file cannot be read', () => {
    workspace.write(`${root}/kernel.json`, '{');
    expect(Object.keys(made().values)).toHaveLength(2);
  });
});
