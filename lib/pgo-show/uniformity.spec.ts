import { uniformityOf } from './uniformity';

it.each([
  ['all came together', { lanes: 10, uniformLanes: 10, isStatic: false }, { uniform_share: 1, letter: 'U' }],
  ['nine in ten did', { lanes: 10, uniformLanes: 9, isStatic: false }, { uniform_share: 0.9, letter: 'U' }],
  ['fewer did', { lanes: 1000, uniformLanes: 899, isStatic: false }, { uniform_share: 0.899, letter: 'D' }],
  ['nobody came', { lanes: 0, uniformLanes: 0, isStatic: false }, { uniform_share: null, letter: 'U' }],
  ['no counter tells', { lanes: null, uniformLanes: 5, isStatic: false }, { uniform_share: null, letter: null }],
  [
    'how they came was not counted',
    { lanes: 5, uniformLanes: null, isStatic: false },
    { uniform_share: null, letter: null },
  ],
  ['they cannot be split', { lanes: 5, uniformLanes: 0, isStatic: true }, { uniform_share: 1, letter: 'U' }],
  [
    'they cannot be split, and no counter tells',
    { lanes: null, uniformLanes: 0, isStatic: true },
    { uniform_share: 1, letter: 'U' },
  ],
])('a block has a letter only where a share is known: %s', (_name, known, expected) => {
  expect(uniformityOf(known)).toEqual(expected);
});
