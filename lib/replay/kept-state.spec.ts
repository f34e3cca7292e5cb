import { keptStateWords } from './kept-state';

describe('what a variant keeps from launch to launch', () => {
  it.each([
    [
      { changed_bytes: 1234, variables: ['stash', 'is_there'], out_of_reach: [], launches: 2 },
      'the variant keeps 1,234 bytes of its own (stash, is_there) from launch to launch, which the captured code does not',
    ],
    [
      { changed_bytes: 1, variables: [], out_of_reach: [], launches: 2 },
      'the variant keeps 1 byte of its own from launch to launch, which the captured code does not',
    ],
    [
      { changed_bytes: 0, variables: ['seen'], out_of_reach: ['hidden', '8 bytes that no symbol names'], launches: 8 },
      'NOT judged: what launches leave in hidden, 8 bytes that no symbol names, beyond 8 in a row',
    ],
  ])('is said in words: %j', (state, words) => {
    expect(keptStateWords(state)).toBe(words);
  });
});
