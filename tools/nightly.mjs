// Tests that `npm test` leaves to `npm run test:nightly`, so that a push is judged within 25 minutes on two cores. They ask
// for many of what a test of every push asks for once: every target, every planted edit, every word of an encoding, every
// path of a stage on installed packages.

/** Files in e2e/, without their endings. */
export const endToEnd = [
  'advice',
  'bundle',
  'defects',
  'docs',
  'free-order',
  'functors',
  'generators',
  'gfx1030',
  'inputs',
  'judge-service',
  'known-cheats',
  'launch',
  'loop',
  'made',
  'moments',
  'own-program',
  'pgo',
  'pipeline',
  'races',
  'ranges',
  'raw-hsa',
  'records',
  'repeats',
  'rocrand',
  'scripts',
  'selection',
  'shared-cache',
  'slurm',
  'triton',
  'triton-gluon',
  'triton-source',
  'unwritten',
  'user-files',
];

/** Specs, without their ending. */
export const specs = ['lib/generate/one-kernel-clang', 'lib/toolchain/driver-steps', 'lib/toolchain/preamble'];

/** Tests of ctest, as regular expressions. The same cases for other targets stay. */
export const native = [
  'RandomWords\\.[A-Za-z0-9]*/gfx(942|1030)',
  '/Corpus\\.[A-Za-z0-9]*/gfx1030',
  '/(Races|StoresInOrder|PublishedTooEarly)\\.[A-Za-z0-9]*/gfx(942|1030)',
  // Those that do all of it together stay.
  'NothingRunsWhileACaptureReadsMemory/(kernels|streams|events|graphs|copies|plain|pinned|registered|rectangles|callbacks|forks)',
  '/OpFactsOf\\.[A-Za-z0-9]*/gfx(942|1030)',
  // It waits for 6 seconds.
  'LlvmLibrary\\.AProgramThatEndsWaitsForASlowPartOfACompilation',
  // pgo_runtime_parts_test stays.
  'RuntimePgo\\.',
  'pgo_gate_test',
];

/** Targets of the software GPU for Python's tests. */
export const pythonTargets = ['gfx1030'];
