import type { Language } from './language';

/** Gluon is of it, too. */
export const triton: Language = {
  name: 'triton',
  label: 'Triton',
  devices: ['softgpu', 'hsa', 'cuda'],
  codeObjects: ['hsaco', 'cubin'],
};
