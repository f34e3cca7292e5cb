import type { Language } from './language';

export const cuda: Language = {
  name: 'cuda',
  label: 'CUDA',
  devices: ['cuda'],
  codeObjects: ['cubin'],
  pgo: 'use',
  keepsPtx: true,
  recorder: 'nvrtc',
  scripts: [],
};
