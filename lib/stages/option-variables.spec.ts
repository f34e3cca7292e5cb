import { readFileSync } from 'node:fs';
import { serviceOptionsSchema } from '../judge/service/options';
import type { Stage } from '../stage/stage';
import { environmentName, formerName } from '../support/option-variables';
import { environmentLayer, resolveOptions, type OptionsSchema } from '../support/options';
import { thrown } from '../testing/failure';
import { stages } from './registry';

interface Owned {
  stage: string;
  schema: OptionsSchema;
  option: string;
}

const optionsOf = (stage: string, schema: OptionsSchema): Owned[] =>
  Object.keys(schema.shape).map((option) => ({ stage, schema, option }));
const ofStages = Object.values<Stage>(stages).flatMap(({ name, options }) => optionsOf(name, options));
const all = [...ofStages, ...optionsOf('judge', serviceOptionsSchema)];

describe('the variable of an option', () => {
  it.each([
    ['validate', 'replays', 'KERNLOOP_VALIDATE_REPLAYS'],
    ['trace-run', 'limitSeconds', 'KERNLOOP_TRACE_RUN_LIMIT_SECONDS'],
    ['capture', 'store', 'KERNLOOP_STORE'],
    ['store', 'store', 'KERNLOOP_STORE'],
    ['replay', 'device', 'KERNLOOP_DEVICE'],
  ])('of %s, %s, is %s', (stage, option, name) => {
    expect(environmentName(stage, option)).toBe(name);
  });

  it('is that of one stage alone, but for what describes the machine', () => {
    const users = new Map<string, Set<string>>();
    for (const { stage, option } of all) {
      const name = environmentName(stage, option);
      users.set(name, (users.get(name) ?? new Set()).add(`${stage} ${option}`));
    }
    const shared = [...users].filter(([, { size }]) => size > 1).map(([name]) => name);
    expect(shared.sort()).toEqual(['DEVICE', 'GPU', 'REMOTE', 'SOFTGPU', 'STORE'].map((word) => `KERNLOOP_${word}`));
  });

  it('is never the former name of another one', () => {
    const current = new Set(all.map(({ stage, option }) => environmentName(stage, option)));
    expect(all.flatMap(({ option }) => formerName(option) ?? []).filter((name) => current.has(name))).toEqual([]);
  });

  it('sets the option of its own stage only', () => {
    const env = { KERNLOOP_VALIDATE_REPLAYS: '8', KERNLOOP_DEVICE: 'hsa' };
    expect(environmentLayer('validate', stages.validate.options, env).values).toEqual({ replays: 8, device: 'hsa' });
    expect(environmentLayer('tune', stages.tune.options, env).values).toEqual({ device: 'hsa' });
  });

  it('is named where its value is out of range', () => {
    const layer = environmentLayer('validate', stages.validate.options, { KERNLOOP_VALIDATE_REPLAYS: '0' });
    expect(thrown(() => resolveOptions(stages.validate.options, [layer])).what).toContain('KERNLOOP_VALIDATE_REPLAYS');
  });

  it('is refused under its former name, with the new one', () => {
    for (const { stage, schema, option } of all) {
      const former = formerName(option);
      if (former === null) continue;
      const error = thrown(() => environmentLayer(stage, schema, { [former]: 'x' }));
      expect([error.code, error.exitCode]).toEqual(['USAGE', 2]);
      expect(error.what).toContain(`${former} is set`);
      expect(error.what).toContain(environmentName(stage, option));
      expect(error.hint).toContain(`unset ${former}`);
    }
  });

  it('is in the reference', () => {
    const page = readFileSync('docs/reference/options.md', 'utf8');
    const names = ofStages.map(({ stage, option }) => environmentName(stage, option));
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
