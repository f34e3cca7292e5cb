import { askingFor } from './place-names';

describe('a source that asks where or when it is compiled', () => {
  it.each([
    '__FILE__',
    '__BASE_FILE__',
    '__builtin_FILE()',
    '#include <source_location>',
    'f(__DATE__)',
    'a(__TIME__[0])',
    '__TIMESTAMP__',
  ])('is one with %s', (text) => {
    expect(askingFor(['int a;', text])).toMatchObject({ first: 1 });
  });

  it.each([
    ['#define CAT(a, b) a##b', 'CAT(__FI, LE__)'],
    ['#define CAT(a, b) a %:%: b', 'CAT(__DAT, E__)'],
    ['#define F(x) __##x##__', 'F(FILE)'],
    ['#define CAT(a, b) a##b', 'CAT(CAT(_, _BASE), CAT(_FI, LE__))'],
    ['#define CAT(a, b) a##b', 'CAT(__builtin_, FILE)()'],
  ])('is one that pastes the name together: %s, %s', (macro, use) => {
    expect(askingFor([macro, use])).not.toBeNull();
    expect(askingFor([use, macro])).not.toBeNull();
    expect(askingFor([`${macro}\n${use}`])).not.toBeNull();
  });

  it.each([
    'int file, __FILES__, my__FILE__, __LINE__;',
    '#define CASE(type) case GGML_TYPE_##type: return kernel_##type<__global__>',
    'CAT(__FI, LE__)',
    'int _x = __shared__;',
  ])('is none with %s', (text) => {
    expect(askingFor([text])).toBeNull();
  });

  it.each([
    ['__FILE__', false],
    ['__DATE__', true],
  ])('knows whether it is the time: %s', (text, when) => {
    expect(askingFor([text])?.when).toBe(when);
  });
});
