import { clocksApart, conditionsWords, mergeConditions, type Conditions } from './conditions';

const cool: Conditions = {
  samples: 10,
  sm_mhz: { min: 1980, max: 1980 },
  memory_mhz: { min: 2619, max: 2619 },
  celsius: { min: 41, max: 43 },
  slowed_by: [],
};
const capped: Conditions = {
  samples: 10,
  sm_mhz: { min: 1755, max: 1980 },
  slowed_by: [{ reason: 'power cap', samples: 4 }],
};

describe('the state of the GPU while launches were timed', () => {
  it('is told as clocks, temperature and what slowed it down', () => {
    expect(conditionsWords(cool)).toBe('SM 1980 MHz, memory 2619 MHz, 41–43 °C');
    expect(conditionsWords(capped)).toBe('SM 1755–1980 MHz, slowed by power cap after 4 of 10 launches');
  });

  it('of several processes spans all of them, whoever of them could not be asked', () => {
    expect(mergeConditions([])).toBeNull();
    expect(mergeConditions([cool, capped, capped])).toEqual({
      samples: 30,
      sm_mhz: { min: 1755, max: 1980 },
      memory_mhz: { min: 2619, max: 2619 },
      celsius: { min: 41, max: 43 },
      slowed_by: [{ reason: 'power cap', samples: 8 }],
    });
  });

  it('is a doubt where one side had other clocks, and none within a hundredth', () => {
    expect(clocksApart(cool, capped)).toMatch(/SM 1980 MHz after launches of the captured code, 1755–1980 MHz/);
    expect(clocksApart(cool, { ...cool, sm_mhz: { min: 1965, max: 1980 } })).toBeNull();
    expect(clocksApart(cool, { samples: 1, slowed_by: [] })).toBeNull();
  });
});
