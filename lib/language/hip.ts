import type { Language } from './language';

export const hip: Language = {
  name: 'hip',
  label: 'HIP',
  devices: ['softgpu', 'hsa'],
  codeObjects: ['hsaco', 'co'],
  pgo: 'gates',
  keepsPtx: false,
  recorder: null,
  scripts: [],
};
