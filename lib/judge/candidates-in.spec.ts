import { writeFileSync } from 'node:fs';
import { thrown } from '../testing/failure';
import { TestWorkspace } from '../testing/workspace';
import { candidateAt } from './candidates-in';

let workspace: TestWorkspace;
beforeEach(() => (workspace = new TestWorkspace()));
afterEach(() => workspace.dispose());

it.each(['fast.hip', 'folder/kernel_variant.hip'])(
  'refuses %s if it is not UTF-8: another one would pass for it',
  (name) => {
    const path = workspace.write(name, '// \u00e9');
    const named = name.startsWith('folder/') ? workspace.path('folder') : path;
    expect(candidateAt(named, 'kernel_variant.hip').files).toEqual({ 'kernel_variant.hip': '// \u00e9' });
    writeFileSync(path, Buffer.from([0x2f, 0x2f, 0xe9]));
    const { code, what } = thrown(() => candidateAt(named, 'kernel_variant.hip'));
    expect([code, what]).toEqual(['CANDIDATE_REFUSED', `${path} is not UTF-8`]);
  },
);
