import { openApp } from '../app/app';
import { jsonReader } from '../support/lenient-json';
import { TestWorkspace } from '../testing/workspace';
import { otherProjects } from './other-projects';

describe('other projects of a kernel', () => {
  let workspace: TestWorkspace;
  const digest = (letter: string) => letter.repeat(64);

  beforeEach(() => {
    const kernels = (...names: string[]) => names.map((name) => ({ name, match: '^reduce' }));
    workspace = new TestWorkspace({ kernels: kernels('first', 'later', 'built', 'absent', 'another') });
    workspace.write('apps/two/kernloop.json', {
      name: 'two',
      command: ['./two'],
      kernels: kernels('copy', 'built', 'next'),
    });
    workspace.write('apps/broken/kernloop.json', '{');
    const capture = (folder: string, index = 3, code = digest('a'), symbol = 'reduce.kd'): void => {
      const found = { kernel: { symbol, code_object: code }, dispatch: { ordinal: 1, index }, regions: [{ size: 64 }] };
      workspace.write(`${folder}/capture.json`, JSON.stringify(found));
    };
    capture('sent');
    capture('kernels/app/first/capture');
    capture('kernels/app/later/capture', 4);
    capture('kernels/app/built/capture', 3, digest('b'));
    capture('kernels/app/another/capture', 3, digest('c'), 'scan.kd');
    capture('kernels/two/copy/capture');
    capture('kernels/two/built/capture', 3, digest('b'));
    capture('kernels/two/next/capture', 5);
    workspace.write('kernels/app/later/pristine/kernel_variant.hip', 'before');
    workspace.write('kernels/app/later/kernel_variant.hip', 'edited');
  });
  afterEach(() => workspace.dispose());

  const of = (name: string) => otherProjects(openApp(workspace.app), name, workspace.path('sent'), jsonReader());

  it('are those of the same dispatch, of another launch, and in the app of another build', () => {
    expect(of('new')).toEqual([
      'new is the same dispatch of the same kernel as first (kernels/app/first), copy of two (kernels/two/copy): an edit of one is not in the other',
      'new is another launch of the kernel of later (kernels/app/later, edited), next of two (kernels/two/next): an edit of one is not in the other',
      'new is another build of the kernel of built (kernels/app/built): an edit of one is not in the other',
    ]);
  });

  it('are never the project itself, and three are named', () => {
    expect(of('first')[0]).not.toContain('kernels/app/first');
    const kernels = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, match: '^reduce' }));
    workspace.write('apps/two/kernloop.json', { name: 'two', command: ['./two'], kernels });
    for (const { name } of kernels)
      workspace.write(`kernels/two/${name}/capture/capture.json`, workspace.read('sent/capture.json'));
    expect(of('first')[0]).toMatch(/as a of two .*, b of two .*, c of two \(kernels\/two\/c\) and 2 more: an edit/);
  });

  it('are none for a folder without a capture', () => {
    expect(otherProjects(openApp(workspace.app), 'new', workspace.path('nothing'), jsonReader())).toEqual([]);
  });
});
