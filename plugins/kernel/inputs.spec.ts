import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { softgpuVariables } from '../../lib/device/softgpu';
import { packageRoot } from '../../lib/support/version';
import { namedInputsOf } from './inputs';

/** Variables for messages and tools, which do not affect a dispatch. */
const harmless = ['KERNLOOP_SOFTGPU_LOG', 'KERNLOOP_SOFTGPU_API_TABLES', 'KERNLOOP_SOFTGPU_HOSTILE'];

describe('the environment of the software GPU', () => {
  it('is listed as it is read', () => {
    const source = readFileSync(join(packageRoot, 'native', 'softgpu', 'hsa', 'host', 'options.cpp'), 'utf8');
    const read = new Set(source.match(/KERNLOOP_SOFTGPU_\w+/g)?.filter((name) => !harmless.includes(name)));
    expect([...read].sort()).toEqual([...softgpuVariables]);
  });

  it.each(['app', 'reproducer'] as const)('is an input of every task of a project of kind %s', (kind) => {
    for (const env of softgpuVariables) expect(namedInputsOf[kind]['kernloop-task']).toContainEqual({ env });
  });
});
