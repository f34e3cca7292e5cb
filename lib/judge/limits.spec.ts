import { thrown } from '../testing/failure';
import { candidateSchema } from './candidate-json';
import { limitsOf } from './limits';

const settings = { compileLimitSeconds: 60, runLimitSeconds: 600, compileLimitMemoryMib: 1024, unsandboxed: false };
const mib = 2 ** 20;

describe('limits of a candidate', () => {
  const of = (limits: object | undefined, more: Partial<typeof settings> = {}) =>
    limitsOf(candidateSchema.parse({ files: {}, limits }), { ...settings, ...more });

  it('are those of the judge, unless it asks for lower ones', () => {
    const judge = { compile_seconds: 60, run_seconds: 600, memory_bytes: 1024 * mib };
    expect(of(undefined)).toEqual(judge);
    expect(of({})).toEqual(judge);
    expect(of({ compile_seconds: 5, memory_bytes: 512 * mib })).toEqual({
      ...judge,
      ...{ compile_seconds: 5, memory_bytes: 512 * mib },
    });
    expect(of(judge)).toEqual(judge);
  });

  it.each([
    ['compile_seconds', 60.5],
    ['run_seconds', 601],
    ['memory_bytes', 1024 * mib + 1],
  ])('above those of the judge are refused: %s', (name, value) => {
    const { code, what } = thrown(() => of({ [name]: value }));
    expect([code, what]).toEqual(['CANDIDATE_REFUSED', expect.stringContaining(`${name} is ${value}`)]);
  });

  it('of memory are refused where nothing would hold them', () => {
    expect(thrown(() => of({ memory_bytes: 512 * mib }, { unsandboxed: true }))).toMatchObject({
      code: 'CANDIDATE_REFUSED',
    });
  });

  it.each([
    { compile_seconds: 0 },
    { run_seconds: -1 },
    { memory_bytes: 1.5 },
    { memory_bytes: 4096 },
    { cpuSeconds: 3 },
  ])('that are none are no candidate: %j', (limits) => {
    expect(candidateSchema.safeParse({ files: {}, limits }).success).toBe(false);
  });
});
