export const deviceKinds = ['softgpu', 'hsa', 'cuda'] as const;

export type DeviceKind = (typeof deviceKinds)[number];
