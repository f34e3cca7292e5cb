import { parseCompileArguments } from './compile-arguments';
import { genericOr, offloadTarget } from './target';

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

describe('the target of captured code', () => {
  it('is that of the device, with its features', () => {
    expect(genericOr(isa, 'amdgcn-amd-amdhsa--gfx90a')).toBe(isa);
    expect(genericOr(isa, null)).toBe(isa);
  });

  it('is the generic one of the code, which compiles to that again', () => {
    const generic = genericOr('amdgcn-amd-amdhsa--gfx1030', 'amdgcn-amd-amdhsa--gfx10-3-generic');
    expect(offloadTarget(generic, parseCompileArguments(['--offload-arch=gfx1030,gfx10-3-generic']))).toBe(
      'gfx10-3-generic',
    );
    expect(genericOr(isa, 'amdgcn-amd-amdhsa--gfx9-4-generic:xnack-')).toBe('amdgcn-amd-amdhsa--gfx9-4-generic:xnack-');
  });
});
