import { cleanBuild } from './clean-build';

describe('a build that is to compile everything again', () => {
  it.each([
    ['make', 'make clean'],
    ['make -j8 all', 'make clean'],
    ['make -C build -j 8 VERBOSE=1', 'make -C build clean'],
    ['/usr/bin/gmake -Cbuild --file=gpu.mk', '/usr/bin/gmake -Cbuild --file=gpu.mk clean'],
    ['ninja', 'ninja -t clean'],
    ['ninja -C out -v', 'ninja -C out -t clean'],
  ])('%s is cleaned by %s before', (command, clean) => {
    const words = command.split(' ');
    expect(cleanBuild(words)).toEqual({ clean, build: words });
  });

  it('is one command with cmake --build, whose arguments for the tool stay behind its own', () => {
    expect(cleanBuild(['cmake', '--build', 'build', '-j', '8', '--', '-k'])).toEqual({
      clean: null,
      build: ['cmake', '--build', 'build', '--clean-first', '-j', '8', '--', '-k'],
    });
    expect(cleanBuild(['cmake', '--build', 'build', '--clean-first'])?.build).toHaveLength(4);
  });

  it.each(['sh build.sh', 'cmake -B build', 'hipcc -o a a.hip'])('is not known of %s', (command) => {
    expect(cleanBuild(command.split(' '))).toBeNull();
  });
});
