import { thrown } from '../testing/failure';
import { readModule, registerType, type PtxFunction } from './module';
import { readOperands } from './operands';
import { shapes } from '../probe/ptx/testing/shapes';

const whole = readModule(shapes);
const functionOf = (name: string): PtxFunction => {
  const found = whole.functions.find((one) => one.name === name && one.body);
  if (!found) throw new Error(`no ${name}`);
  return found;
};
const opcodes = (name: string): string[] =>
  (functionOf(name).body?.instructions ?? []).map(({ opcode }) => opcode.join('.'));

describe('a module of PTX', () => {
  it('has its functions, defined and declared, and not what comments and strings mention', () => {
    expect([whole.version, whole.target, whole.addressSize]).toEqual([800, 'sm_90a', 64]);
    expect(whole.functions.map(({ name, isEntry, body }) => [name, isEntry, body !== null])).toEqual([
      ['vprintf', false, false],
      ['deep', false, false],
      ['lookup', false, true],
      ['deep', false, true],
      ['gives_up', false, true],
      ['untouched', false, true],
      ['calls', true, true],
      ['shapes', true, true],
      ['bare', true, true],
      ['empty', true, true],
    ]);
  });

  it('has every instruction of a body, however it is laid out', () => {
    expect(opcodes('shapes').slice(0, 12)).toEqual([
      ...['ld.param.u64', 'ld.param.u32', 'cvta.to.global.u64', 'mov.u32', 'setp.ge.u32', 'exit'],
      ...['mul.wide.u32', 'add.s64', 'ld.global.v4.f32', 'ld.volatile.global.u32', 'setp.eq.s32', 'st.global.v2.u32'],
    ]);
    expect(opcodes('lookup').filter((opcode) => opcode === 'call.uni')).toHaveLength(1);
  });

  it('has guards, parameter lists and what may run into the end', () => {
    const guards = (functionOf('shapes').body?.instructions ?? []).flatMap(({ guard }) => guard ?? []);
    expect(guards).toContainEqual({ register: '%p1', negated: true });
    expect(guards).toContainEqual({ register: '%p2', negated: false });
    expect(['shapes', 'bare', 'empty'].map((name) => functionOf(name).body?.fallsThrough)).toEqual([
      true,
      false,
      false,
    ]);
    expect(['shapes', 'bare', 'empty'].map((name) => functionOf(name).parameters?.isEmpty)).toEqual([
      false,
      undefined,
      true,
    ]);
  });

  it('knows how a register was declared where it is used, in the innermost block', () => {
    const inner = functionOf('shapes').body?.instructions.find(({ opcode, guard, scope }) =>
      Boolean(opcode[0] === 'ld' && guard && scope.parent),
    );
    if (!inner) throw new Error('no load in the inner block');
    expect(
      ['inner', '%r1', '%r8', '%r9', '%rd5', '%f6', '%p3', '%r01', '%q'].map((name) => registerType(name, inner.scope)),
    ).toEqual(['b64', 'b32', 'b32', null, 'b64', null, 'pred', null, null]);
  });

  it('has operands at commas outside of everything, addresses with their offsets', () => {
    const of = (text: string) =>
      readOperands(text, { start: 0, end: text.length }).map((operand) =>
        operand.kind === 'address' ? [operand.base, operand.offset] : operand.text,
      );
    expect(of('{%f1, %f2 /* , */}, [%rd1 + 64], %p1|%p2')).toEqual(['%f1, %f2', ['%rd1', '64'], '%p1 | %p2']);
    expect(of('[a], [%rd2+-8], [%rd3-8], [t, {%r1, %r2}]')).toEqual([
      ['a', null],
      ['%rd2', '-8'],
      ['%rd3', '-8'],
      [null, null],
    ]);
  });

  it.each([
    ['a body that is never closed', '.version 8.0 .entry a() { ret;', 'never closed'],
    ['a statement without semicolon', '.version 8.0 .entry a() { ret }', 'no semicolon'],
    ['an open comment', '.version 8.0 /* .entry a() { ret; }', 'comment'],
    ['a brace too much', '.version 8.0 .entry a() { ret; } }', 'begins nothing'],
    ['no version', '.entry a() { ret; }', '.version'],
    ['blocks nested without end', `.version 8.0 .entry a() { ${'{'.repeat(300)}`, 'too deep'],
  ])('with %s is refused, and the line is named', (_what, text, message) => {
    const found = thrown(() => readModule(text));
    expect(found.code).toBe('PTX_INVALID');
    expect(found.what).toContain(message);
    expect(found.what).toContain('line 1');
  });

  it('cut off anywhere, or with any byte another one, is read or refused, and nothing else', () => {
    const read = (text: string): void => {
      try {
        for (const { body } of readModule(text).functions)
          for (const { operands } of body?.instructions ?? []) readOperands(text, operands);
      } catch (error) {
        expect(error).toMatchObject({ code: 'PTX_INVALID' });
      }
    };
    for (let length = 0; length < shapes.length; length += 7) read(shapes.slice(0, length));
    let state = 1;
    for (let round = 0; round < 400; ++round) {
      state = (state * 1103515245 + 12345) % 2 ** 31;
      const at = state % shapes.length;
      const byte = '{}()[];,.@!:"/*%\n\0x1'.charAt(state % 21);
      read(`${shapes.slice(0, at)}${byte}${shapes.slice(at + 1 + (state % 3))}`);
    }
  });
});
