import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..');
const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');
const result = <T>(name: string): T => JSON.parse(read('bench', 'results', `${name}.json`)) as T;
const readme = read('README.md');

/** Checks the statements on README's first screen, and their sources. */
describe("README's first screen", () => {
  const [screen = ''] = readme.split('\n## ');

  it('holds one picture, which is there for light and for dark pages and says the same on both', () => {
    const pictures = [...screen.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, path = '']) => path);
    expect(pictures).toEqual(['./docs/images/pipeline-dark.svg', './docs/images/pipeline-light.svg']);
    const [dark, light] = pictures.map((path) => read(path).split(/<style>[^]*?<\/style>/));
    expect(dark).toEqual(light);
    expect(dark).toHaveLength(2);
  });

  it('says of the edit of a kernel in a large program what was measured', () => {
    const { seconds, machine } = result<{
      seconds: { recompile_and_validate: number; rebuild_and_rerun: number };
      machine: { gpu: string[] };
    }>('gpu-ggml');
    const { recompile_and_validate: one, rebuild_and_rerun: all } = seconds;
    expect(screen).toContain(`${one.toFixed(1)} s, instead of ${all.toFixed(1)} s`);
    expect(screen).toContain(`**${Math.round(all / one)}× sooner**`);
    expect(machine.gpu.join()).toContain('NVIDIA H200');
  });

  it('says of planted defects what was measured', () => {
    const { defects, correct, machine } = result<{
      defects: { kind: string; planted: number; caught: number }[];
      correct: { edits: number; passed: number };
      machine: { cpu: string };
    }>('planted-defects');
    const kinds = defects.filter(({ kind }) => kind !== 'all');
    const sum = (of: 'planted' | 'caught'): number => kinds.reduce((total, one) => total + one[of], 0);
    expect(screen).toContain(`**${sum('caught')} of ${sum('planted')}**`);
    expect(screen).toContain(`${correct.passed} of ${correct.edits} right ones`);
    expect(machine.cpu).toBe('2 x Intel(R) Xeon(R) Processor');
  });

  it('says of a Mixtral and of the first run what was measured', () => {
    const kernels = /"selfcheck": "(\w+)"/g;
    const text = read('bench', 'results', 'gpu-graphs.json');
    const mixtral = text.slice(text.toLowerCase().indexOf('mixtral'), text.indexOf('"every_launch"'));
    const verdicts = [...mixtral.matchAll(kernels)].map(([, verdict]) => verdict);
    expect(screen).toContain(`**${verdicts.filter((one) => one === 'verified').length} of ${verdicts.length}**`);
    const { from_nothing: first, hardware_threads: threads } = result<{
      from_nothing: { seconds: number };
      hardware_threads: number;
    }>('quickstart');
    expect(screen).toContain(`${Math.round(first.seconds)} s in a fresh clone`);
    expect(threads).toBe(2);
  });
});

describe('docs/kerncap.md', () => {
  it('has no row that is not yet there', () => {
    expect(read('docs', 'kerncap.md')).not.toMatch(/not yet/i);
  });
});
