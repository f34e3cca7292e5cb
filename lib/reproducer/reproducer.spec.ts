import { cpSync } from 'node:fs';
import { relative } from 'node:path';
import { thrown } from '../testing/failure';
import { captureJson, TestWorkspace, writeReproducer } from '../testing/workspace';
import { openReproducer } from './reproducer';

describe('the reproducer of a folder', () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  it('is none of a capture without a project, and the way to one is named', () => {
    workspace.write('downloads/x/capture.json', captureJson());
    const { code, what, hint } = thrown(() => openReproducer(workspace.path('downloads/x')));
    expect([code, what]).toEqual(['CONFIG_MISSING', expect.stringContaining('is a capture without a project')]);
    expect(hint).toMatch(/copy it to .*capture.*kernloop generate KERNEL.*kernloop adopt/);
  });

  it('is one of those of the workspace where the command is typed in its root', () => {
    const hint = (): string => thrown(() => openReproducer(workspace.root)).hint;
    expect(hint()).toContain('go to the folder of a reproducer (kernels/<app>/<kernel>)');
    const root = writeReproducer(workspace);
    expect(hint()).toBe(`name the reproducer: ${relative(process.cwd(), root)}; \`kernloop extract\` makes one`);
    for (const name of ['a', 'b', 'c', 'd']) cpSync(root, `${root}-${name}`, { recursive: true });
    expect(hint()).toMatch(/^name the reproducer: (?:\S+, ){4}and 1 more \(`kernloop kernels` lists them\)/);
  });

  it('is that above the capture of a project', () => {
    const root = writeReproducer(workspace);
    expect(openReproducer(`${root}/capture`).root).toBe(root);
  });
});
