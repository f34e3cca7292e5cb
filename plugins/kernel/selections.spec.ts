import { declaredFile, selectionFile } from '../../lib/task-inputs/value-files';
import { jsonReader } from '../../lib/support/lenient-json';
import { lostFile, lostValues, pristineFile, pristineValues, selectionValues } from './selections';

const app = (first: object, more: object = {}): string =>
  JSON.stringify({
    name: 'a',
    ...more,
    kernels: [
      { name: 'saxpy', match: 'saxpy', ...first },
      { name: 'sum', match: 'sum' },
    ],
  });
const variables = (text: string, file = 'apps/a/kernloop.json') =>
  selectionValues(
    [file],
    jsonReader(() => JSON.parse(text) as unknown),
  );
const [saxpy, sum] = ['saxpy', 'sum'].map((kernel) => selectionFile('apps/a', kernel)) as [string, string];

describe('what is selected of each kernel', () => {
  it('changes with the entry of that kernel, and with nothing else', () => {
    const before = variables(app({}));
    expect(Object.keys(before).sort()).toEqual([saxpy, sum, declaredFile('apps/a')].sort());
    const edited = variables(app({ dispatch: '2-3' }));
    expect(edited[saxpy]).not.toBe(before[saxpy]);
    expect(edited[sum]).toBe(before[sum]);
    expect(edited[declaredFile('apps/a')]).toBe(before[declaredFile('apps/a')]);
    const other = variables(app({}, { command: ['other'] }));
    expect([other[saxpy], other[sum]]).toEqual([before[saxpy], before[sum]]);
    expect(other[declaredFile('apps/a')]).not.toBe(before[declaredFile('apps/a')]);
  });

  it('has a file for each kernel of each app, however alike the names are', () => {
    const names = ['a-b', 'a.b', 'a_b'].flatMap((kernel) =>
      ['.', 'apps/a', 'apps-a'].map((root) => selectionFile(root, kernel)),
    );
    expect(new Set(names).size).toBe(9);
    for (const name of names) expect(name).toMatch(/^\.kernloop\/inputs\/[0-9A-Z]{12}\/selection$/);
    expect(Object.keys(variables(app({}), 'kernloop.json'))).toContain(selectionFile('.', 'saxpy'));
  });

  it('is apart from what lies in pristine/ and is none of ours: an input of what would replace it', () => {
    const foreign = (found: Record<string, string[]>) =>
      pristineValues(
        ['apps/a/kernloop.json'],
        () => JSON.parse(app({})) as unknown,
        (folder) => found[folder] ?? [],
      );
    const [saxpyHas, sumHas] = ['saxpy', 'sum'].map((kernel) => pristineFile('apps/a', kernel)) as [string, string];
    expect(foreign({})).toEqual({ [saxpyHas]: '', [sumHas]: '' });
    expect(foreign({ 'kernels/a/sum': ['x', 'y'] })).toEqual({ [saxpyHas]: '', [sumHas]: 'x y' });
    const hostile = pristineValues(
      ['k.json'],
      () => JSON.parse(app({ name: '../../etc' }, { name: '..' })) as unknown,
      () => ['looked'],
    );
    expect(hostile).toEqual({});
  });

  it('is apart from whether its captures were lost here', () => {
    const variables = lostValues(
      ['apps/a/kernloop.json'],
      () => JSON.parse(app({})) as unknown,
      new Map([['kernels/a/sum', 'token']]),
    );
    expect(variables).toEqual({ [lostFile('apps/a', 'saxpy')]: '', [lostFile('apps/a', 'sum')]: 'token' });
  });

  it.each(['{', '[]', 'null', '{"kernels": 3}', '{"kernels": [null, 4, {"match": "x"}]}'])(
    'declares nothing in a file such as %s',
    (text) => {
      expect(Object.keys(variables(text)).filter((file) => file !== declaredFile('apps/a'))).toEqual([]);
    },
  );
});
