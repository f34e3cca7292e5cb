import { asTyped } from './typed-command';

describe('commands in the words of a shell', () => {
  const by = (script: string) => (text: string) =>
    asTyped(text, { npm_lifecycle_event: 'npx', npm_lifecycle_script: script });

  it.each([
    [
      'run `kernloop extract`; `npx kernloop doctor` says more',
      'run `npx kernloop extract`; `npx kernloop doctor` says more',
    ],
    ['Next, edit it, then: kernloop validate k', 'Next, edit it, then: npx kernloop validate k'],
    ['Next: kernloop declare k && kernloop unpack f', 'Next: npx kernloop declare k && npx kernloop unpack f'],
    ['Start:\n  kernloop profile -- ./demo', 'Start:\n  npx kernloop profile -- ./demo'],
    ['an older kernloop package', 'an older kernloop package'],
    ['it said: kernloop softgpu: a fault', 'it said: kernloop softgpu: a fault'],
    ['`kernloop.json` of /kernloop x', '`kernloop.json` of /kernloop x'],
  ])('begin with npx for whoever typed it: %j', (text, typed) => {
    expect([by("'kernloop'")(text), by('kernloop validate k')(text), by('nx run app:extract')(text)]).toEqual([
      ...[typed, typed, typed],
    ]);
  });

  it.each([
    ['another program of npm', { npm_lifecycle_event: 'npx', npm_lifecycle_script: 'jest --ci' }],
    ['a script of package.json', { npm_lifecycle_event: 'judge', npm_lifecycle_script: 'kernloop judge' }],
    ['the shell', {}],
  ])('are the same from %s', (_name, env) => {
    expect(asTyped('run `kernloop extract`', env)).toBe('run `kernloop extract`');
  });
});
