import { cpSync, mkdirSync, renameSync } from 'node:fs';
import { relative } from 'node:path';
import { thrown } from '../testing/failure';
import { captureJson, TestWorkspace, writeReproducer } from '../testing/workspace';
import { openReproducer } from './reproducer';

describe('the reproducer of a folder', () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    workspace.dispose();
  });

  it('is none of a capture without a project, and the way to one is named', () => {
    workspace.write('downloads/x/capture.json', captureJson());
    const { code, what, hint } = thrown(() => openReproducer(workspace.path('downloads/x')));
    expect([code, what]).toEqual(['CONFIG_MISSING', expect.stringContaining('is a capture without a project')]);
    expect(hint).toMatch(/copy it to .*capture.*kernloop generate KERNEL.*kernloop adopt/);
  });

  it('is none before what was generated is adopted, and adopt is named', () => {
    const root = writeReproducer(workspace);
    mkdirSync(`${root}/pristine`, { recursive: true });
    renameSync(`${root}/kernel.json`, `${root}/pristine/kernel.json`);
    const { code, hint } = thrown(() => openReproducer(root));
    expect([code, hint]).toEqual(['CONFIG_MISSING', `copy them out of its pristine/: \`kernloop adopt ${root}\``]);
  });

  it('is one of those of the workspace where the command is typed in its root', () => {
    const hint = (): string => thrown(() => openReproducer(workspace.root)).hint;
    expect(hint()).toContain('go to the folder of a reproducer (kernels/<app>/<kernel>)');
    const root = writeReproducer(workspace);
    expect(hint()).toBe(`name the reproducer: ${relative(process.cwd(), root)}; \`kernloop extract\` makes one`);
    for (const name of ['a', 'b', 'c', 'd']) cpSync(root, `${root}-${name}`, { recursive: true });
    expect(hint()).toMatch(/^name the reproducer: (?:\S+, ){4}and 1 more \(`kernloop kernels` lists them\)/);
  });

  it('is suggested for one that is not there, by the name of the kernel wherever it is', () => {
    const root = writeReproducer(workspace);
    cpSync(root, `${workspace.path('kernels/app')}/histogram`, { recursive: true });
    mkdirSync(workspace.path('kernels/app/unrelated'));
    jest.spyOn(process, 'cwd').mockReturnValue(workspace.root);
    const hint = (name: string): string => thrown(() => openReproducer(workspace.path(name))).hint;
    expect(hint('saxpy')).toMatch(/^did you mean kernels\/app\/saxpy\? name the folder/);
    expect(hint('kernels/ap/saxyp')).toMatch(/^did you mean kernels\/app\/saxpy\? /);
    expect(hint('kernels/app/hist')).toMatch(/^did you mean kernels\/app\/histogram\? /);
    expect(hint('kernels/other/zebra')).toMatch(/^name the folder/);
  });

  it('is that above the capture of a project', () => {
    const root = writeReproducer(workspace);
    expect(openReproducer(`${root}/capture`).root).toBe(root);
  });
});
