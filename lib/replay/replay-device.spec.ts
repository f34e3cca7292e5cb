import { thrown } from '../testing/failure';
import { requireKind } from './replay-device';

describe('the device of a replay', () => {
  const captured = (kind: string) => ({ kind }) as Parameters<typeof requireKind>[0];

  it.each([
    ['softgpu', 'softgpu'],
    ['hsa', 'softgpu'],
    ['cuda', 'cuda'],
  ])('of a capture of %s may be %s', (kind, device) => {
    expect(() => requireKind(captured(kind), device)).not.toThrow();
  });

  it.each([
    ['softgpu', 'cuda'],
    ['softgpu', 'hsa'],
    ['cuda', 'softgpu'],
  ])('of a capture of %s is never %s, whether a driver is here or not', (kind, device) => {
    const error = thrown(() => requireKind(captured(kind), device));
    expect([error.code, error.hint]).toEqual(['USAGE', `replay it with --device ${kind}`]);
  });
});
