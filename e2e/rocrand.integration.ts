import { Workspace } from './in-process';

/** Third-party kernels: Debian's librocrand as shipped, without source. */
describe('stock rocRAND', () => {
  let workspace: Workspace;
  const project = 'kernels/rocrand-pi/rocrand_generator';
  beforeAll(() => {
    workspace = Workspace.create(['examples/rocrand-pi']);
  });
  afterAll(() => workspace.remove());

  it('profiles the program: the generator and the counting kernel, ranked by executed wave-instructions', async () => {
    const outcome = await workspace.kernloop(['profile', '--app', 'apps/rocrand-pi']);
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/rocrand/)]);
    expect(outcome.text).toMatch(/count_inside/);
    expect(outcome.text).toMatch(/wave-instructions/);
    expect(outcome.text).not.toMatch(/\d+(\.\d+)? ?(ms|µs|us|ns)\b.*rocrand_host/);
  });

  it('captures, replays and validates the generator kernel without source', async () => {
    const extracted = await workspace.kernloop(['extract', '--app', 'apps/rocrand-pi']);
    expect([extracted.code, extracted.text]).toEqual([0, expect.any(String)]);
    const replayed = await workspace.kernloop(['replay', '--reproducer', project]);
    expect([replayed.code, replayed.text]).toEqual([0, expect.stringMatching(/wave_instructions/)]);
    const verdict = await workspace.kernloop(['validate', '--reproducer', project]);
    expect([verdict.code, verdict.text]).toEqual([0, expect.stringMatching(/Result: PASS \(/)]);
  });

  it('says that there is no source to rebuild', async () => {
    const outcome = await workspace.kernloop(['recompile', '--reproducer', project]);
    expect([outcome.code, outcome.text]).toEqual([2, expect.stringMatching(/source/)]);
  });
});
