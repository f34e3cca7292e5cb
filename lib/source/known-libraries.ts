/** Kernels that come compiled with a library, or that a library makes at run time, told by their names. */
export interface KnownLibrary {
  /** On the mangled or the demangled name. */
  pattern: RegExp;
  /** Who made it: "an assembly kernel of Tensile (rocBLAS, hipBLASLt)". */
  what: string;
  /** What one can do instead of editing the source. */
  next: string;
}

const tune =
  'choose another algorithm or tune through the API of the library, or write the operation as a kernel of the app';
const buildIt =
  'build that project from source with its compile database, and name both in kernloop.json ("source", "compileCommands")';

const row = (pattern: RegExp, what: string, next: string): KnownLibrary => ({ pattern, what, next });

/** The first that fits wins. */
const knownLibraries: readonly KnownLibrary[] = [
  row(
    /^(Custom_)?Cijk_/,
    'an assembly kernel that Tensile generated for rocBLAS or hipBLASLt',
    `${tune}; Tensile's own build can generate it again`,
  ),
  row(
    /^__amd_rocclr_/,
    'a copy or fill kernel of the HIP runtime',
    'capture the kernel of the app that runs before or after it',
  ),
  row(/^(miopen|gcnAsm|igemm_(fwd|bwd|wrw)_gtc|Sp3Asm)/, 'an assembly kernel of MIOpen', tune),
  row(/^(fft_rtc_|VkFFT_)/, 'a kernel that an FFT library compiles at run time', tune),
  row(
    /\b(rocrand_impl|rocrand_host|curandKernel|curand)\b|^_Z\d+gen_sequenced/,
    'a kernel of rocRAND or cuRAND, which comes compiled',
    tune,
  ),
  row(
    /\b(rocsolver|rocsparse|rocblas|rocfft|hipdnn)(::|_)/,
    'a kernel of a ROCm library, which comes compiled',
    `${buildIt}; or ${tune}`,
  ),
  row(
    /^(nvjet_|(sm\d+|ampere|volta|turing|maxwell|hopper|blackwell)_(xmma|[a-z0-9]*gemm|fp16|h884|s884|h1688|s1688|s16816|cudnn|scudnn))/,
    'a kernel of cuBLAS or cuDNN, which come compiled',
    tune,
  ),
  row(
    /\b(cublas|cublasLt|cudnn|cusparse|cusolver|cufft|nvjpeg|npp)(::|_)|\bgem[mv]\w*_kernel_val\b|^(void )?(regular|vector)_fft/,
    'a kernel of a CUDA library, which comes compiled',
    tune,
  ),
  row(
    /\b(cutlass|cutlass_)|^cutlass_/,
    'an instance of CUTLASS that no unit of the app makes: it comes from a library',
    `${buildIt}; or ${tune}`,
  ),
  row(
    /^(nccl|rccl)(Dev)?Kernel|^(void )?(nccl|rccl)/,
    'a kernel of NCCL or RCCL, which waits for other GPUs',
    'capture a kernel that computes; a collective cannot run alone',
  ),
  row(/\b(at::native|at_cuda_detail|c10|at::cuda)::/, 'a kernel of PyTorch, compiled with it', buildIt),
  row(/\b(pytorch_flash|flash|vllm|flashinfer|xformers)::/, 'a kernel of a Python package, compiled with it', buildIt),
  row(
    /^cupy_/,
    'a kernel that CuPy compiled at run time',
    'its source is a string of the app: put it into a file of its own to edit it',
  ),
  row(
    /^_ZN6cudapy/,
    'a kernel that Numba compiled at run time from Python',
    'rewrite it in HIP or CUDA to edit it here',
  ),
  row(
    /^(nvfuser_|CudaCodeGen::)/,
    'a kernel that nvFuser generated at run time',
    'rewrite the operation as a kernel of the app',
  ),
  row(
    /^(loop|input|wrapped|fusion|gemm_fusion|triton_gemm|triton_softmax)_?\w*fusion(_\d+)?$/,
    'a kernel that XLA generated at run time',
    'rewrite the operation as a kernel of the app',
  ),
];

export function knownLibrary(symbol: string, demangled: string): KnownLibrary | null {
  return knownLibraries.find(({ pattern }) => pattern.test(symbol) || pattern.test(demangled)) ?? null;
}
