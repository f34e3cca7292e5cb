import { thrown } from '../testing/failure';
import { withKernel } from './declare-kernel';

const text = (...kernels: string[]): string =>
  `{ "name": "app", "command": ["./x"], ${kernels.map((value) => `"kernels": ${value}`).join(', ')} }`;
const a = '[{ "name": "a", "match": "^a" }]';

describe('a kernloop.json with one more kernel', () => {
  it('is refused if "kernels" is there twice: readers take one of the arrays, an edit may change the other', () => {
    for (const twice of [text(a, '[]'), text('[]', a), text(a, a)]) {
      const error = thrown(() => withKernel(twice, { name: 'zz', match: '^zz' }));
      expect([error.code, error.what]).toEqual(['CONFIG_INVALID', expect.stringMatching(/"kernels" .*twice/)]);
      expect(error.hint).toMatch(/one "kernels"/);
    }
  });

  it('has the others as they were, and the new one last', () => {
    const names = (edited: string): unknown =>
      (JSON.parse(edited) as { kernels: { name: string }[] }).kernels.map(({ name }) => name);
    const once = withKernel(text(a), { name: 'zz', match: '^zz', ordinal: 2 });
    expect(names(once)).toEqual(['a', 'zz']);
    expect(names(withKernel(text('[]'), { name: 'zz', match: '^zz' }))).toEqual(['zz']);
    expect(names(withKernel('{ "name": "app", "command": ["./x"] }', { name: 'zz', match: '^zz' }))).toEqual(['zz']);
  });
});
