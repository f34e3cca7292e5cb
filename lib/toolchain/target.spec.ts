import { parseCompileArguments } from './compile-arguments';
import { offloadTarget } from './target';

const isa = 'amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-';

describe('offloadTarget', () => {
  it.each([
    ['the captured one of several', ['--offload-arch=gfx1030', '--offload-arch=gfx90a'], 'gfx90a'],
    ['one of a list', ['--offload-arch=gfx1030,gfx90a'], 'gfx90a'],
    ['features that the device has', ['--offload-arch=gfx90a:xnack+', '--offload-arch=gfx90a:xnack-'], 'gfx90a:xnack-'],
    ['the processor where the command leaves it to hipcc', [], 'gfx90a'],
    ['the processor where the command takes it away', ['--no-offload-arch=gfx90a'], 'gfx90a'],
    ['the older spellings', ['--amdgpu-target=gfx90a:xnack-'], 'gfx90a:xnack-'],
  ])('takes %s', (_case, args, target) => {
    expect(offloadTarget(isa, parseCompileArguments(args))).toBe(target);
  });

  it('refuses a target that is not AMD', () => {
    expect(() => offloadTarget('sm_90', [])).toThrow(/no AMD target/);
  });
});
