import { partsOf } from '../stage/either';
import { stageNames, stages } from '../stages/registry';
import type { Stage } from '../stage/stage';
import { TestWorkspace } from '../testing/workspace';
import { elsewhere } from './runner';

describe('where a stage of an app runs', () => {
  const slurm = { partition: 'gpu' };
  let workspace: TestWorkspace;
  beforeEach(() => (workspace = new TestWorkspace({ runner: { slurm } })));
  afterEach(() => workspace.dispose());
  const ofApps = stageNames.flatMap((name) => partsOf(stages[name])).filter(({ project }) => project === 'app');
  const pgoUse = stages['pgo-use'].subjects.app;
  const partition = (stage: Stage, more: object = {}, env = {}): string | undefined =>
    elsewhere(stage, { app: workspace.app, ...more }, { env })?.runner.partition;

  it('is a job where it needs the device, the runs of PGO too, and here where it compiles', () => {
    const inJobs = ofApps.filter((stage) => partition(stage) === 'gpu').map(({ name }) => name);
    expect(inJobs).toEqual(expect.arrayContaining(['profile', 'pgo-generate', 'pgo-use', 'pgo-runtime']));
    const here = ofApps.map(({ name }) => name).filter((name) => !inJobs.includes(name));
    expect(here).toEqual(expect.arrayContaining(['pgo-instrument', 'pgo-merge', 'pgo-build']));
  });

  it('is here where its options leave no work for the device', () => {
    expect(partition(stages['pgo-runtime'], { phase: 'measure' })).toBe('gpu');
    expect(partition(stages['pgo-runtime'], { phase: 'build' })).toBeUndefined();
  });

  it('is here where kernloop.json says nothing, or the environment says so', () => {
    expect(partition(pgoUse, {}, { KERNLOOP_RUNNER: 'local' })).toBeUndefined();
    workspace.dispose();
    workspace = new TestWorkspace();
    expect(partition(pgoUse)).toBeUndefined();
  });
});
