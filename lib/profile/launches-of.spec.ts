import { openReproducer } from '../reproducer/reproducer';
import { someDigest, TestWorkspace, writeReproducer } from '../testing/workspace';
import { launchesOf } from './launches-of';

describe('the launches of a captured kernel', () => {
  let workspace: TestWorkspace;
  beforeEach(() => (workspace = new TestWorkspace()));
  afterEach(() => workspace.dispose());

  const kernel = (symbol: string, codeObject: string, dispatches: number) => ({
    ...{ name: symbol, symbol, code_object: codeObject, dispatches, share: 0.5 },
    ...{ total: 9, min: 1, median: 1, max: 1, geometries: [] },
  });
  const launches = (profile?: string | object[]) => {
    const reproducer = openReproducer(writeReproducer(workspace));
    if (profile !== undefined)
      workspace.write(
        'app/.kernloop/profile.json',
        typeof profile === 'string'
          ? profile
          : {
              ...{ schema: 'kernloop.profile/1', app: 'app', work: 'wave_instructions', processes: 1, dispatches: 9 },
              ...{ device: { kind: 'softgpu', identity: 'softgpu-gfx90a-1' }, total: 9, kernels: profile },
            },
      );
    return launchesOf(reproducer);
  };

  it('are those of the last profile that have its symbol and code', () => {
    const other = 'b'.repeat(64);
    const own = '_Z5saxpyPff';
    expect(launches([kernel('_Z4copyPf', someDigest, 5), kernel(own, other, 7), kernel(own, someDigest, 1)])).toBe(1);
  });

  it('are not known without a profile, by one of another code, or by a damaged one', () => {
    expect(launches()).toBeNull();
    expect(launches([kernel('_Z5saxpyPff', 'b'.repeat(64), 1)])).toBeNull();
    expect(launches('{ "schema"')).toBeNull();
  });
});
