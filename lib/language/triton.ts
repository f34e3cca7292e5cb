import type { Language } from './language';

/** The script that compiles, and the library that it uses: files of every reproducer of a Triton kernel. */
export const reproducerScript = 'reproducer.py';
export const reproducerLibrary = 'kernloop_reproducer.py';

/** The language of Triton and Gluon kernels. */
export const triton: Language = {
  name: 'triton',
  label: 'Triton',
  devices: ['softgpu', 'hsa', 'cuda'],
  codeObjects: ['hsaco', 'cubin'],
  pgo: null,
  keepsPtx: false,
  recorder: 'triton',
  scripts: [reproducerScript, reproducerLibrary],
};
