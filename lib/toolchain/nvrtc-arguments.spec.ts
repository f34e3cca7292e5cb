import { nvrtcArguments } from './nvrtc-arguments';

describe('nvrtcArguments', () => {
  it.each([
    [['-I/app/include']],
    [['-I', '/app/include']],
    [['--include-path=/app/include']],
    [['--pre-include=/app/include']],
    [['-include', '/app/include']],
  ])('keeps %j and names what is read outside of the reproducer', (options) => {
    const { args, notes } = nvrtcArguments(['-arch=sm_90', ...options], 'sm_90');
    expect(args).toEqual(['--gpu-architecture=sm_90', ...options]);
    expect(notes).toEqual([expect.stringContaining('read from /app/include, as in the app')]);
  });

  it('has nothing to note where headers came with the program', () => {
    expect(nvrtcArguments(['-arch=sm_90', '--std=c++17'], 'sm_90').notes).toEqual([]);
  });
});
