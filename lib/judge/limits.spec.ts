import { thrown } from '../testing/failure';
import { candidateSchema } from './candidate-json';
import { limitsOf } from './limits';

const settings = { compileLimitSeconds: 60, runLimitSeconds: 600, compileLimitMemoryMib: 1024, unsandboxed: false };
const mib = 2 ** 20;

describe('limits of a candidate', () => {
  const of = (limits: object | undefined, more: Partial<typeof settings> = {}) =>
    limitsOf(candidateSchema.parse({ files: {}, limits }), { ...settings, ...more });

  it('are those of the judge, unless it asks for lower ones', () => {
    const judge = { compileSeconds: 60, runSeconds: 600, memoryBytes: 1024 * mib };
    expect(of(undefined)).toEqual(judge);
    expect(of({})).toEqual(judge);
    expect(of({ compileSeconds: 5, memoryBytes: 512 * mib })).toEqual({
      ...judge,
      ...{ compileSeconds: 5, memoryBytes: 512 * mib },
    });
    expect(of(judge)).toEqual(judge);
  });

  it.each([
    ['compileSeconds', 60.5],
    ['runSeconds', 601],
    ['memoryBytes', 1024 * mib + 1],
  ])('above those of the judge are refused: %s', (name, value) => {
    const { code, what } = thrown(() => of({ [name]: value }));
    expect([code, what]).toEqual(['CANDIDATE_REFUSED', expect.stringContaining(`${name} is ${value}`)]);
  });

  it('of memory are refused where nothing would hold them', () => {
    expect(thrown(() => of({ memoryBytes: 512 * mib }, { unsandboxed: true }))).toMatchObject({
      code: 'CANDIDATE_REFUSED',
    });
  });

  it.each([{ compileSeconds: 0 }, { runSeconds: -1 }, { memoryBytes: 1.5 }, { memoryBytes: 4096 }, { cpuSeconds: 3 }])(
    'that are none are no candidate: %j',
    (limits) => {
      expect(candidateSchema.safeParse({ files: {}, limits }).success).toBe(false);
    },
  );
});
