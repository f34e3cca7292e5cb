import { leadClass, notJudged, verdictOf } from './verdicts';

describe('the banner of a page', () => {
  it('is that of a pass only if every kernel has passed', () => {
    expect(leadClass(['pass', 'pass'])).toBe('verdict is-pass');
    expect(leadClass(['pass', notJudged])).toBe('verdict is-doubt');
    expect(leadClass([notJudged, 'vacuous', 'pass'])).toBe('verdict is-doubt');
    expect(leadClass([notJudged, 'fault', 'pass'])).toBe('verdict is-fail');
    expect(leadClass([notJudged])).toBe('verdict');
  });

  it('is a doubt if a pass did not see the whole edit', () => {
    const line = { file: 'k.hip', line: 3 };
    const lines = { edited: 2, without_code: 0, not_run: [line] };
    expect(leadClass([verdictOf({ verdict: 'pass', edited_lines: lines }), 'pass'])).toBe('verdict is-doubt');
    expect(leadClass([verdictOf({ verdict: 'pass', edited_lines: { ...lines, not_run: [] } })])).toBe(
      'verdict is-pass',
    );
    expect(verdictOf({ verdict: 'fail', edited_lines: lines })).toBe('fail');
    expect(verdictOf({ verdict: 'pass' })).toBe('pass');
  });
});
