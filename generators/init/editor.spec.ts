import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTreeWithEmptyWorkspace } from '@nx/devkit/testing';
import { parse } from 'jsonc-parser';
import { problemsIn } from '../testing/problems';
import { schemas, setUpEditor, tasks } from './editor';

// Output of the command line; e2e/variants.integration.ts compares the same patterns with its current output.
const compiled = `/src/app/kernels/a/k/kernel_variant.hip:19:5: warning: variable templates are a C++14 extension [-Wc++14-extensions]
int bad = "x" + nothing;
    ^
/src/app/kernels/a/k/kernel_variant.hip:19:17: error: use of undeclared identifier 'nothing'
1 warning and 6 errors generated when compiling for gfx90a.
error: kernel_variant.hip did not compile: /src/app/kernels/a/k/kernel_variant.hip:19:17: error: use of undeclared identifier 'nothing' [COMPILE_FAILED]
  → correct it; the captured source is in pristine/kernel_variant.hip
kernel_variant.cu(17): error: identifier "z" is undefined
kernel_variant.cu(18): warning #177-D: variable "x" was declared but never referenced`;
// Output of nvcc 13.5.37 (nvidia-cuda-nvcc of PyPI) for a kernel and its header with five mistakes, and for a missing
// include.
const ofNvcc = `helper.h(2): warning #177-D: variable "gone" was declared but never referenced
    double gone = 0;
           ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

kernel_variant.cu(5): error: identifier "factor" is undefined
    if (i < n) values[i] *= factor;
                            ^

kernel_variant.cu(6): error: argument of type "const char *" is incompatible with parameter of type "int"
    if (i < n) values[i] = helper(values, "x");
                                          ^

kernel_variant.cu(7): error: expected an expression
    i = i + ;
            ^

kernel_variant.cu(3): warning #177-D: variable "unused" was declared but never referenced
    const int unused = 3;
              ^

3 errors detected in the compilation of "kernel_variant.cu".
missing.cu:1:10: fatal error: not-there.h: No such file or directory
    1 | #include "not-there.h"
      |          ^~~~~~~~~~~~~
compilation terminated.`;
const judged = `  r7 at offset 2: expected 9041008094410000, got 1042008014420000; 6,278 bytes differ
edited at kernels/a/k/kernel_variant.hip:19, and 2 more places
Result: FAIL (77,713 of 213,157 bytes compared with what the app computed differ)`;

describe('what init sets up for VS Code', () => {
  it('matches what compilers say, each line once, and nothing that Kernloop says of it', () => {
    const file = '/src/app/kernels/a/k/kernel_variant.hip';
    expect(problemsIn(compiled, 'recompile')).toEqual([
      {
        ...{ file, line: '19', column: '5', severity: 'warning' },
        message: 'variable templates are a C++14 extension [-Wc++14-extensions]',
      },
      { file, line: '19', column: '17', severity: 'error', message: "use of undeclared identifier 'nothing'" },
      { file: 'kernel_variant.cu', line: '17', severity: 'error', message: 'identifier "z" is undefined' },
      {
        ...{ file: 'kernel_variant.cu', line: '18', severity: 'warning' },
        message: 'variable "x" was declared but never referenced',
      },
    ]);
  });

  it('matches what nvcc says, each problem once, and none of the lines that explain it', () => {
    const found = problemsIn(ofNvcc, 'recompile').map(
      ({ file, line, severity, message }) => `${file}:${line} ${severity}: ${message}`,
    );
    expect(found).toEqual([
      'helper.h:2 warning: variable "gone" was declared but never referenced',
      'kernel_variant.cu:5 error: identifier "factor" is undefined',
      'kernel_variant.cu:6 error: argument of type "const char *" is incompatible with parameter of type "int"',
      'kernel_variant.cu:7 error: expected an expression',
      'kernel_variant.cu:3 warning: variable "unused" was declared but never referenced',
      'missing.cu:1 error: not-there.h: No such file or directory',
    ]);
  });

  it('shows a verdict at its place, with its severity, and none for a PASS or where there is no source', () => {
    const place = { file: 'kernels/a/k/kernel_variant.hip', line: '19' };
    expect(problemsIn(judged, 'validate')).toEqual([
      {
        ...place,
        severity: 'error',
        message: 'FAIL (77,713 of 213,157 bytes compared with what the app computed differ)',
      },
    ]);
    const vacuous = problemsIn(judged.replace('FAIL', 'VACUOUS'), 'validate');
    expect(vacuous).toMatchObject([{ ...place, severity: 'warning' }]);
    for (const line of ['at', 'edited at'])
      expect(problemsIn(judged.replace(/edited at (.*:19).*/, `${line} $1`), 'validate')).toMatchObject([place]);
    expect(problemsIn(judged.replace('FAIL', 'PASS'), 'validate')).toEqual([]);
    expect(problemsIn('the captured code\nResult: FAIL (it differs)', 'validate')).toEqual([]);
  });

  it('is written once, beside what is there, comments and all', () => {
    const tree = createTreeWithEmptyWorkspace();
    const own =
      '{\n  // Ours\n  "version": "2.0.0",\n  "tasks": [{ "label": "mine", "type": "shell" /* keep */ },],\n}\n';
    tree.write('.vscode/tasks.json', own);
    expect(setUpEditor(tree)).toEqual([
      '.vscode/settings.json: 5 added to json.schemas',
      '.vscode/tasks.json: 3 added to tasks',
    ]);
    const text = tree.read('.vscode/tasks.json', 'utf-8') ?? '';
    expect(text).toContain('// Ours');
    expect(text).toContain('/* keep */');
    expect(parse(text)).toEqual({ version: '2.0.0', tasks: [{ label: 'mine', type: 'shell' }, ...tasks] });
    expect(parse(tree.read('.vscode/settings.json', 'utf-8') ?? '')).toEqual({
      'json.schemas': schemas('./node_modules/kernloop/schemas'),
    });
    expect(setUpEditor(tree)).toEqual([]);
    expect(tree.read('.vscode/tasks.json', 'utf-8')).toBe(text);
  });

  it.each(['', '\n', '// ours\n', '\uFEFF{}'])('takes %j for an object without anything, as VS Code does', (text) => {
    const tree = createTreeWithEmptyWorkspace();
    tree.write('.vscode/settings.json', text);
    setUpEditor(tree);
    const after = tree.read('.vscode/settings.json', 'utf-8') ?? '';
    expect((parse(after) as Record<string, unknown[]>)['json.schemas']?.length).toBeGreaterThan(3);
    expect(after.includes('// ours')).toBe(text.includes('// ours'));
  });

  it.each(['[]', '{ "tasks": {} }', '{ "tasks": [', '{ "tasks": ["x"] }'])('refuses %s and leaves it', (text) => {
    const tree = createTreeWithEmptyWorkspace();
    tree.write('.vscode/tasks.json', text);
    expect(() => setUpEditor(tree)).toThrow(/\.vscode\/tasks\.json is not a JSON object, or its "tasks" is not a list/);
    expect(tree.read('.vscode/tasks.json', 'utf-8')).toBe(text);
  });

  it('is what the repository uses, with its own command and schemas', () => {
    const read = (name: string): unknown => JSON.parse(readFileSync(join(__dirname, '../../.vscode', name), 'utf8'));
    const expected = JSON.stringify(tasks).replaceAll('"npx","args":["kernloop"', '"node","args":["bin/kernloop.js"');
    expect(read('tasks.json')).toEqual({ version: '2.0.0', tasks: JSON.parse(expected) as object[] });
    expect(read('settings.json')).toMatchObject({ 'json.schemas': schemas('./schemas') });
  });
});
