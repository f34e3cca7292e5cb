import { driverCommands } from './driver-commands';
import { decisionByCallers } from './inlining-remarks';
import { sharedVariable } from './shared-variable';

/** A remark as clang 15 writes it. */
const remark = (outcome: string, name: string, reason: string): string =>
  `--- !${outcome}\nPass:            inline\nName:            ${name}\nFunction:        k\nArgs:\n  - Callee:          f\n  - String:          ' x '\n  - Caller:          k\n${reason}...\n`;
const cost = (value: string, threshold: string): string =>
  `  - String:          '(cost='\n  - Cost:            ${value}\n  - String:          ', threshold='\n  - Threshold:       '${threshold}'\n`;

describe('decisionByCallers', () => {
  it.each([
    ['is inlined by its attribute', remark('Passed', 'Inlined', '  - Cost:            always\n'), null],
    ['is inlined by an earlier pass for its attribute', remark('Passed', 'AlwaysInline', ''), null],
    ['is not defined', remark('Missed', 'NoDefinition', ''), null],
    ['is inlined for its small cost', remark('Passed', 'Inlined', cost("'5'", '4125')), 'f'],
    // The cost is 10000 without the bonus of 15000 for the last call.
    ['is inlined by the bonus alone', remark('Passed', 'Inlined', cost("'-5000'", '4125')), 'f'],
    ['costs too much', remark('Missed', 'TooCostly', cost("'9000'", '4125')), 'f'],
    ['is never inlined', remark('Missed', 'NeverInline', '  - Cost:            never\n'), 'f'],
    ['has a cost that is no number', remark('Passed', 'Inlined', cost("'many'", '4125')), 'f'],
    ['is another pass', remark('Missed', 'TooCostly', '').replace('inline', 'licm'), null],
  ])('of a call that %s', (_what, text, expected) => {
    expect(decisionByCallers(remark('Passed', 'Inlined', '  - Cost:            always\n') + text)).toBe(expected);
  });

  it('is none of an empty record', () => expect(decisionByCallers('')).toBeNull());
});

describe('driverCommands', () => {
  it('are the lines of commands, word by word', () => {
    const printed =
      'clang version 15\nInstalledDir: "/x"\n "/a b/clang" "-cc1" "-DS=\\"a \\\\ \\$b\\"" ""\n (in-process)\n "lld" "-o"\n';
    expect(driverCommands(printed)).toEqual([
      ['/a b/clang', '-cc1', '-DS="a \\ $b"', ''],
      ['lld', '-o'],
    ]);
  });
});

describe('sharedVariable', () => {
  const define = (text: string): string => `${text}\n@llvm.compiler.used = appending global [1 x ptr] [ptr @v]\n`;
  const use = 'define void @k() {\n  %1 = load i32, ptr addrspace(1) @v, align 4\n}\n';
  it.each([
    ['is static and used', '@v = hidden addrspace(1) global i32 0, align 4', use, 'v'],
    ['is internal and used', '@v = internal unnamed_addr addrspace(1) global i32 0, align 4', use, 'v'],
    ['has a quoted name', '@"v w" = hidden addrspace(1) global i32 0', use.replace('@v', '@"v w"'), '"v w"'],
    ['is used by the initial value of another', '@v = hidden addrspace(1) global i32 0\n@w = constant ptr @v', '', 'v'],
    ['is not used', '@v = hidden addrspace(1) global i32 0, align 4', use.replace('@v', '@v2'), null],
    ['is constant', '@v = hidden addrspace(4) constant i32 3', use, null],
    ['the app can name', '@v = protected addrspace(1) externally_initialized global i32 0', use, null],
    ['lies in LDS', '@v = hidden addrspace(3) global [4 x i32] undef', use, null],
    ['is defined elsewhere', '@v = external hidden addrspace(1) global i32', use, null],
  ])('of a variable that %s', (_what, text, uses, expected) => {
    expect(sharedVariable(define(text) + uses)).toBe(expected);
  });
});
