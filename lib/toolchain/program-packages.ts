/** Debian packages of programs that builds start under another name than their package's. */
const packages: Readonly<Record<string, readonly string[]>> = {
  ninja: ['ninja-build'],
  hipcc: ['hipcc', 'libamdhip64-dev'],
  nvcc: ['nvidia-cuda-toolkit'],
  cc: ['gcc'],
  'c++': ['g++'],
};

/** Programs whose package has their own name. */
const known = /^(make|cmake|gcc|g\+\+|clang|clang\+\+|(gcc|g\+\+|clang|clang\+\+)-\d+|meson|bazel|git|perl|python3)$/;

export function debianPackages(program: string): readonly string[] {
  const listed = packages[program];
  if (listed !== undefined) return listed;
  return known.test(program) ? [program.replace('clang++', 'clang')] : [];
}
