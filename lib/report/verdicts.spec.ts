import { leadClass, notJudged } from './verdicts';

describe('the banner of a page', () => {
  it('is that of a pass only if every kernel has passed', () => {
    expect(leadClass(['pass', 'pass'])).toBe('verdict is-pass');
    expect(leadClass(['pass', notJudged])).toBe('verdict is-doubt');
    expect(leadClass([notJudged, 'vacuous', 'pass'])).toBe('verdict is-doubt');
    expect(leadClass([notJudged, 'fault', 'pass'])).toBe('verdict is-fail');
    expect(leadClass([notJudged])).toBe('verdict');
  });
});
