import { join } from 'node:path';
import { reportSchema } from '../validate/report-json';
import { readLeft } from './left';

describe('what a page says where a stage has left nothing', () => {
  it('is what was not run and the command that tells, not that something is unknown', () => {
    const left = readLeft(join(__dirname, 'none.json'), reportSchema, 'Which configuration is best', 'kernloop tune');
    const text = left.value === null ? JSON.stringify(left.why) : '';
    expect(text).toContain('Not run yet; this tells which configuration is best:');
    expect(text).toContain('kernloop tune');
    expect(text).not.toContain('not known');
  });
});
