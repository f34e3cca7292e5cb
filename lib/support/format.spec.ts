import { formatCount } from './format';

// Intl gives the expected form: it is what a reader of English expects.
const inEnglish = (count: number | bigint): string => count.toLocaleString('en-US');

it.each([
  0,
  7,
  999,
  1000,
  12_345,
  123_456,
  1_234_567,
  -1,
  -123,
  -1234,
  -123_456,
  2 ** 53,
  0.5,
  1234.5678,
  1e21,
  NaN,
  Infinity,
])('counts %d as Intl does', (count) => expect(formatCount(count)).toBe(inEnglish(count)));

it.each([0n, 999n, 1000n, 2n ** 64n - 1n, -(2n ** 63n)])('counts %d of 64 bits as Intl does', (count) =>
  expect(formatCount(count)).toBe(inEnglish(count)),
);
