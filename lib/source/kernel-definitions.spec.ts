import { findKernelDefinitions as find, type KernelDefinition } from './kernel-definitions';
import { openSourceParser, type SourceParser } from './source-parser';

let parser: SourceParser;
beforeAll(async () => {
  parser = await openSourceParser();
});

const findKernelDefinitions = (text: string): KernelDefinition[] => find(text, parser);

const namesIn = (text: string): string[] =>
  findKernelDefinitions(text).map(({ scope, name }) =>
    [...scope.map((part) => part ?? '(anonymous)'), name].join('::'),
  );

describe('findKernelDefinitions', () => {
  it.each([
    ['plain', '__global__ void scale(float* x) {}', ['scale']],
    ['static before __global__', 'static __global__ void scale(float* x) {}', ['scale']],
    ['__global__ after the return type', 'void __global__ scale(float* x) {}', ['scale']],
    ['launch bounds between type and name', '__global__ void __launch_bounds__(256, 2) scale(float* x) {}', ['scale']],
    ['launch bounds before __global__', '__launch_bounds__(256) __global__ void scale(float* x) {}', ['scale']],
    [
      'a GNU attribute with parentheses',
      '__global__ __attribute__((amdgpu_flat_work_group_size(1, 256))) void scale(int) {}',
      ['scale'],
    ],
    ['a standard attribute', '[[gnu::noinline]] __global__ void scale(int) {}', ['scale']],
    ['a return type on another line', '__global__ void\n__launch_bounds__(64)\nscale\n(float* x)\n{\n}', ['scale']],
    ['a trailing return type', '__global__ auto scale(float* x) -> void {}', ['scale']],
    ['nested namespaces', 'namespace a { namespace { __global__ void k(int) {} } }', ['a::(anonymous)::k']],
    ['the C++17 spelling of nested namespaces', 'namespace a::b { __global__ void k(int) {} }', ['a::b::k']],
    ['an inline namespace', 'inline namespace v1 { __global__ void k(int) {} }', ['v1::k']],
    ['a qualified definition', '__global__ void a::b::k(int*) {}', ['a::b::k']],
    ['a static member', 'struct S { static __global__ void k(int*) {} };', ['S::k']],
    ['a body between other functions', 'int f() { return 1; }\n__global__ void k() {}\nint g() { return 2; }', ['k']],
    ['a macro with arguments before the name', '__global__ void MY_BOUNDS(256) k(int* x) {}', ['k']],
    ['a macro before __global__', 'LIB_API __global__ void k(int* x) {}', ['k']],
    ['a macro with arguments before static', 'template <int N> LIB_ATTR(2) static __global__ void k(int*) {}', ['k']],
    ['a kernel named in capitals', '__global__ void __launch_bounds__(64) SCALE(int* x) {}', ['SCALE']],
    ['cluster dimensions', '__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128) k(int*) {}', ['k']],
    ['a limit of registers', '__global__ __maxnreg__(64) void k(int* x) {}', ['k']],
    ['attributes behind the parameters', '__global__ void k(int* x) __attribute__((noinline)) {}', ['k']],
    ['a macro statement without semicolon before it', 'LIB_REGISTER(x)\n__global__ void k(int*) {}', ['k']],
    ['a specialisation for a cast argument', 'template <> __global__ void k<(ggml_type)7, 32, true>(int*) {}', ['k']],
    [
      'a condition within the header',
      '__global__ void\n#ifdef FAST\n__launch_bounds__(4)\n#endif\nk(int* x) { for (;;) {} }',
      ['k'],
    ],
    ['a kernel behind a condition', '#if defined(FAST)\n__global__ void k() {}\n#endif', ['k']],
    ['a kernel behind an include guard', '#ifndef H\n#define H\n__global__ void k() {}\n#endif', ['k']],
  ])('finds %s', (_case, text, names) => {
    expect(namesIn(text)).toEqual(names);
  });

  it.each([
    ['a declaration', '__global__ void k(float* x);'],
    ['a comment', '// __global__ void k(float* x) {}\n/* __global__ void k(float* x) {} */'],
    ['a string', 'const char* s = "__global__ void k(float* x) {}";'],
    ['a raw string', 'const char* s = R"(__global__ void k(float* x) {})";'],
    ['a device function', '__device__ void k(float* x) {}'],
    ['a launch', 'void f() { k<<<1, 2>>>(p); }'],
    ['a function that only takes a kernel', 'void k(void (*kernel)(float*)) { }'],
  ])('does not take %s for a definition', (_case, text) => {
    expect(namesIn(text)).toEqual([]);
  });

  it('tells extern "C", templates and explicit specialisations apart', () => {
    const text = `
      extern "C" __global__ void c(int) {}
      extern "C" { __global__ void c_block(int) {} }
      template <typename T, int N> __global__ void t(T* x) {}
      template <> __global__ void t<int, 4>(int* x) {}`;
    expect(findKernelDefinitions(text)).toMatchObject([
      { name: 'c', externC: true, isTemplate: false },
      { name: 'c_block', externC: true },
      { name: 't', externC: false, isTemplate: true, specialization: null },
      { name: 't', isTemplate: true, specialization: '<int, 4>' },
    ]);
  });

  it('reads the name and the written type of each parameter, whatever its declarator', () => {
    const text = `__global__ void k(const float* __restrict__ x, float (*rows)[4], std::vector<int, A<3>> v, int n = f(1, 2),
      const unsigned char flags[], void (*callback)(int, int), struct P p, float, T&& r) {}`;
    expect(findKernelDefinitions(text)[0]?.parameters).toEqual([
      { name: 'x', declared: 'const float* __restrict__' },
      { name: 'rows', declared: 'float (* )[4]' },
      { name: 'v', declared: 'std::vector<int, A<3>>' },
      { name: 'n', declared: 'int' },
      { name: 'flags', declared: 'const unsigned char []' },
      { name: 'callback', declared: 'void (* )(int, int)' },
      { name: 'p', declared: 'struct P' },
      { name: null, declared: 'float' },
      { name: 'r', declared: 'T&&' },
    ]);
  });

  it('reads no parameters from (void) and ()', () => {
    expect(findKernelDefinitions('__global__ void a(void) {} __global__ void b() {}').map((k) => k.parameters)).toEqual(
      [[], []],
    );
  });

  it('reads the parameters of a template whose launch bounds depend on conditions, and its line', () => {
    const text = `template <quant type, int tile, bool check>
#if defined(USE_HIP)
    __launch_bounds__(64 * warps(), 2)
#else
#if __CUDA_ARCH__ >= 700
    __launch_bounds__(32 * warps(), 1)
#else
    __launch_bounds__(32 * warps(), 2)
#endif
#endif
static __global__ void mul_tiles(const char * __restrict__ x, /* rows */ int n) { if (check && n) { } }
static __global__ void next(int* y) { y[0] = '{'; }`;
    expect(findKernelDefinitions(text)).toMatchObject([
      {
        ...{ name: 'mul_tiles', isTemplate: true, line: 11 },
        parameters: [{ name: 'x', declared: 'const char * __restrict__' }, { name: 'n' }],
      },
      { name: 'next', isTemplate: false, line: 12, parameters: [{ name: 'y', declared: 'int*' }] },
    ]);
  });

  it('ends soon on a text that only looks like kernels', () => {
    const text = '__global__ void k((((( '.repeat(3000) + 'A('.repeat(20000);
    expect(findKernelDefinitions(text)).toEqual([]);
  });

  it('gives the line of the definition', () => {
    expect(findKernelDefinitions('\n\n__global__ void k() {}')[0]?.line).toBe(3);
  });

  it('goes on after a part that the grammar cannot read', () => {
    expect(namesIn('MACRO_WITHOUT_SEMICOLON(a, b)\n@@@ ;\n__global__ void k(int*) { }')).toContain('k');
  });

  it('reads a file that is larger than the buffer tree-sitter uses by default', () => {
    const filler = Array.from({ length: 4000 }, (_, index) => `int f${index}(int x) { return x; }`).join('\n');
    expect(namesIn(`${filler}\n__global__ void last(int*) {}`)).toEqual(['last']);
  });
});
