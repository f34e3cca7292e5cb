import type { Language } from './language';

export const cuda: Language = {
  name: 'cuda',
  label: 'CUDA',
  devices: ['cuda'],
  codeObjects: ['cubin'],
  scripts: [],
};
