import { fakeDeps, type FakeProgram } from '../testing/fake-deps';
import type { NativePaths } from '../native/native-paths';
import { parseAddress } from './address';
import { authorizationFor, authorizationVariable } from './authorization';

const native = {} as NativePaths;
const safe = parseAddress('https://cache.example.org/kernloop', 'here');
const prints =
  (...lines: string[]): FakeProgram =>
  ({ print }) => {
    lines.forEach((line) => print(line));
    return 0;
  };
const asking = (helper: FakeProgram, env = {}) => fakeDeps({ helper }, native, { env });

describe('credentials', () => {
  it('come from the environment, before the helper is asked', async () => {
    const deps = asking(prints('Bearer two'), { [authorizationVariable]: 'Bearer one' });
    await expect(authorizationFor(safe, ['helper'], deps)).resolves.toBe('Bearer one');
    expect(deps.calls).toEqual([]);
  });

  it('come from the helper, which is told the URL', async () => {
    const deps = asking(prints('Bearer two'));
    await expect(authorizationFor(safe, ['helper', 'get'], deps)).resolves.toBe('Bearer two');
    expect(deps.calls[0]?.args).toEqual(['get', 'https://cache.example.org/kernloop']);
  });

  it('are none where nobody has any', async () => {
    await expect(authorizationFor(safe, undefined, asking(prints()))).resolves.toBeUndefined();
  });

  it.each([
    ['fails', () => 1],
    ['prints nothing', prints()],
    ['prints two lines', prints('Bearer secret', 'and more')],
    ['prints what would be another header', prints('Bearer secret\r')],
  ] as [string, FakeProgram][])('are an error when the helper %s, which does not show them', async (_, helper) => {
    const error: unknown = await authorizationFor(safe, ['helper'], asking(helper)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'REMOTE_CREDENTIALS' });
    expect(String(error) + JSON.stringify(error)).not.toContain('secret');
  });

  it('never go over the network in clear text, but may to this machine', async () => {
    const deps = asking(prints(), { [authorizationVariable]: 'Bearer one' });
    const clear = parseAddress('http://cache.example.org', 'here');
    await expect(authorizationFor(clear, undefined, deps)).rejects.toMatchObject({ code: 'REMOTE_CREDENTIALS' });
    const local = parseAddress('http://127.0.0.1:8080', 'here');
    await expect(authorizationFor(local, undefined, deps)).resolves.toBe('Bearer one');
  });
});
