import { SaidLines } from './said-once';

describe('long lines that a program printed', () => {
  const fault = `memory access outside of every allocation in kernel _Z3badPfl at pc 0x1630, ${'lane 0: write of 4 bytes '.repeat(5)}`;
  const said = new SaidLines();
  beforeEach(() => said.forget());

  it('are not printed in full by the error that follows, also where they came in pieces', () => {
    const line = `kernloop softgpu: ${fault}\n`;
    said.take(line.slice(0, 40));
    said.take(line.slice(40));
    const text = said.shortened(`./f exited with code 3:\n  kernloop softgpu: ${fault.trim()}\n  hip: 700`);
    expect(text).toMatch(
      /^\.\/f exited with code 3:\n {2}kernloop softgpu: memory access outside .*… \(in full above\)\n {2}hip: 700$/,
    );
    expect(text).not.toContain('write of 4 bytes write');
  });

  it('are printed by an error if they were not before, and short ones always', () => {
    said.take('hip: 700\n');
    expect(said.shortened(`${fault}\nhip: 700`)).toBe(`${fault}\nhip: 700`);
    said.take(`${fault}\n`);
    said.forget();
    expect(said.shortened(fault)).toBe(fault);
  });
});
