/** Debian releases with the ROCm release that each has. */
export const releases = ['trixie', 'sid'];

export const allTargets = ['gfx90a', 'gfx942', 'gfx1030', 'gfx1100'];

/** AMD's categories of what a commit has to pass. The others, `nightly` and `stress`, are millions of cases of matrices for hardware. */
const blas = '*quick*:*pre_checkin*-*known_bug*';

/**
 * The suites. `packages` are patterns of package names, since their numbers differ between releases: each has to match one. `programs` matches the
 * file names of the test programs among what the first package holds. `kind` says how a program lists, runs and reports its cases (programs.mjs).
 * `filter` leaves out what GoogleTest programs have besides. `inShards`: with millions of cases a start takes minutes if it names them, so a process runs
 * a shard of the filter.
 */
export const suites = {
  rocprim: { packages: ['librocprim-tests'], programs: /^test_/, kind: 'gtest' },
  rocthrust: { packages: ['librocthrust-tests'], programs: /^test_/, kind: 'thrust' },
  hipcub: { packages: ['libhipcub-tests'], programs: /^test_/, kind: 'gtest' },
  rocrand: { packages: ['librocrand[0-9]+-tests'], programs: /^test_/, kind: 'gtest' },
  hiprand: { packages: ['libhiprand[0-9]+-tests'], programs: /^test_/, kind: 'gtest' },
  rocblas: {
    packages: ['librocblas[0-9]+-tests'],
    programs: /^rocblas-test$/,
    kind: 'gtest',
    filter: blas,
    inShards: true,
  },
  hipblas: {
    packages: ['libhipblas[0-9]+-tests'],
    programs: /^hipblas-test$/,
    kind: 'gtest',
    filter: blas,
    inShards: true,
  },
  hipblaslt: {
    packages: ['libhipblaslt[0-9]+-tests'],
    programs: /^hipblaslt-test$/,
    kind: 'gtest',
    filter: blas,
    inShards: true,
  },
  rocsparse: { packages: ['librocsparse[0-9]+-tests'], programs: /^rocsparse-test$/, kind: 'gtest' },
  hipsparse: { packages: ['libhipsparse[0-9]+-tests'], programs: /^hipsparse-test$/, kind: 'gtest' },
  rocsolver: { packages: ['librocsolver[0-9]+-tests'], programs: /^rocsolver-test$/, kind: 'gtest' },
  hipsolver: { packages: ['libhipsolver[0-9]+-tests'], programs: /^hipsolver-test$/, kind: 'gtest' },
  rocfft: { packages: ['librocfft[0-9]+-tests'], programs: /^rocfft-test$|^(?:accuracy|unit).*test/, kind: 'gtest' },
  hipfft: { packages: ['libhipfft[0-9]+-tests'], programs: /^hipfft-test$/, kind: 'gtest' },
  rocalution: { packages: ['librocalution[0-9]+-tests'], programs: /^rocalution-test$/, kind: 'gtest' },
  miopen: { packages: ['libmiopen[0-9]+-tests'], programs: /^miopen_gtest$/, kind: 'gtest' },
  rccl: { packages: ['librccl[0-9]+-tests'], programs: /^UnitTests$/, kind: 'gtest' },
  magma: { packages: ['libmagma-rocm-test'], programs: /^testing_/, kind: 'magma' },
  ggml: {
    packages: ['llama\\.cpp-tests', 'libggml[0-9]+-backend-hip'],
    programs: /^test-backend-ops$/,
    kind: 'ggml',
  },
};
