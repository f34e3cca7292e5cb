import { thrown } from '../testing/failure';
import { configurations, readConstraints, readParameters } from './space';

const search = { search: 'grid', samples: 5, seed: 1, maxCandidates: 1000 } as const;

describe('the space of a search', () => {
  it('is read the same from kernel.json and from the command line, which parts values at commas', () => {
    const whole = readParameters(['BLOCK=64,128', 'fast=true,false', 'kind=float4']);
    expect(whole).toEqual(readParameters(['BLOCK=64', '128', 'fast=true', 'false', 'kind=float4']));
    expect(whole).toEqual([
      { name: 'BLOCK', values: [64, 128] },
      { name: 'fast', values: [true, false] },
      { name: 'kind', values: ['float4'] },
    ]);
  });

  it.each([
    [[], /nothing is to be searched/],
    [['64'], /no name/],
    [['A='], /empty value/],
    [['A=1', 'A=2'], /twice/],
    [['__proto__=1'], /reserved/],
    [['constructor=1'], /reserved/],
    [['A=010'], /another number in C\+\+/],
    [['A=12345678901234567890'], /told from its neighbours/],
  ])('%j is refused', (set, why) => {
    expect(thrown(() => readParameters(set))).toMatchObject({
      code: 'TUNE_SPACE',
      what: expect.stringMatching(why) as string,
    });
  });

  const parameters = readParameters(['A=1,2,3', 'B=1,2']);

  it('is every configuration that fulfils the constraints, also of names that are not tuned', () => {
    const constraints = readConstraints(['max(A', 'B) <= limit', 'A != 1 or B != 1']);
    const found = configurations({ parameters, constraints }, { limit: 2 }, search);
    expect(found).toEqual({
      configurations: [
        { A: 1, B: 2 },
        { A: 2, B: 1 },
        { A: 2, B: 2 },
      ],
      total: 6,
      excluded: 3,
    });
  });

  it('is drawn by the seed alone, no configuration twice', () => {
    const many = readParameters(['A=1,2,3,4,5,6,7,8,9', 'B=1,2,3,4,5,6,7,8,9']);
    const draw = (seed: number) =>
      configurations({ parameters: many, constraints: [] }, {}, { ...search, search: 'random', samples: 20, seed });
    const names = draw(7).configurations.map((one) => JSON.stringify(one));
    expect([names.length, new Set(names).size]).toEqual([20, 20]);
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7).configurations).not.toEqual(draw(8).configurations);
    // Sampling ends if the space is smaller than the samples.
    expect(
      configurations({ parameters, constraints: [] }, {}, { ...search, search: 'random', samples: 50 }).configurations,
    ).toHaveLength(6);
  });

  it('is drawn from all of it, also where it has more configurations than 2^32', () => {
    const names = Array.from({ length: 12 }, (_, index) => `P${index}`);
    const large = readParameters(names.map((name) => `${name}=1,2,3,4,5,6,7,8`));
    const { configurations: drawn } = configurations(
      { parameters: large, constraints: [] },
      {},
      { ...search, search: 'random', samples: 200 },
    );
    expect(names.map((name) => new Set(drawn.map((one) => one[name])).size)).toEqual(names.map(() => 8));
  });

  it('is refused where it is empty or too large, and where a constraint is no condition', () => {
    const refused = (constraint: string[], more = {}) =>
      thrown(() =>
        configurations({ parameters, constraints: readConstraints(constraint) }, {}, { ...search, ...more }),
      );
    expect(refused(['A > 9']).what).toMatch(/exclude all 6/);
    expect(refused([], { maxCandidates: 5 }).what).toMatch(/6 configurations are more/);
    expect(refused(['A * B']).what).toMatch(/gives 1/);
    expect(refused(['A > 9'], { search: 'random' }).what).toMatch(/none of 6 configurations/);
  });
});
