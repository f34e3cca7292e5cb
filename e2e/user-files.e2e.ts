import { existsSync, rmSync } from 'node:fs';
import { Workspace } from './harness';
import { addProbeApp, probeProgram } from './probe';

/** The user's files among Kernloop's, and the user's input. */
describe('what is the user’s', () => {
  let workspace: Workspace;
  const kernels = [{ name: 'two_outputs', match: 'two_outputs' }];
  const project = 'kernels/outputs/two_outputs';

  beforeAll(async () => {
    workspace = Workspace.create([]);
    await addProbeApp(workspace, 'outputs', ['outputs'], kernels);
    await probeProgram();
  });
  afterAll(() => workspace.remove());

  it('stays beside a capture and in pristine/, also where Nx takes both from its cache', async () => {
    const extract = (): ReturnType<Workspace['nx']> => workspace.nx(['run', 'outputs:extract-kernel']);
    expect((await extract()).code).toBe(0);
    workspace.write(`${project}/capture/notes.txt`, 'mine');
    // The outputs differ from those that Nx recorded, so it restores them.
    rmSync(workspace.path(project, 'capture', 'capture.json'));
    const restored = await extract();
    expect([restored.code, restored.text]).toEqual([0, expect.stringMatching(/local cache|existing outputs/)]);
    expect(existsSync(workspace.path(project, 'capture', 'capture.json'))).toBe(true);
    expect(workspace.read(`${project}/capture/notes.txt`)).toBe('mine');
    const again = await workspace.kernloop(['capture', '--app', 'apps/outputs']);
    expect([again.code, workspace.read(`${project}/capture/notes.txt`)]).toEqual([0, 'mine']);

    workspace.write(`${project}/pristine/deps/notes.txt`, 'mine too');
    rmSync(workspace.path(project, 'pristine', 'recipe.json'));
    const refused = await extract();
    expect(refused.code).not.toBe(0);
    expect(refused.text).toContain('pristine/deps/notes.txt');
    expect(workspace.read(`${project}/pristine/deps/notes.txt`)).toBe('mine too');
  });

  it('is what the app reads from stdin, by a pipe, a file or kernloop.json', async () => {
    workspace.edit('apps/outputs/kernloop.json', (text) => {
      const config = JSON.parse(text) as { name: string; command: string[] };
      const script = 'read -r word && test "$word" = go && exec "$0" "$@"';
      return JSON.stringify({ ...config, name: 'reading', command: ['bash', '-c', script, ...config.command] });
    });
    const capture = (stdin: string): ReturnType<Workspace['kernloop']> =>
      workspace.shell(`kernloop capture --app apps/outputs ${stdin}`);
    const none = await capture('< /dev/null');
    expect([none.code, none.text]).toEqual([2, expect.stringContaining('its stdin was empty')]);
    workspace.write('go.txt', 'go\n');
    expect((await capture('< go.txt')).code).toBe(0);
    expect((await workspace.shell('echo go | kernloop capture --app apps/outputs')).code).toBe(0);
    workspace.write('apps/outputs/go.txt', 'go\n');
    workspace.edit('apps/outputs/kernloop.json', (text) => text.replace('"name"', '"stdin": "go.txt", "name"'));
    const { code, text } = await workspace.nx(['run', 'reading:capture-two_outputs']);
    expect([code, text]).toEqual([0, expect.any(String)]);
  });
});
