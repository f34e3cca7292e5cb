import { silentReporter, warningOnce } from './report';

describe('warningOnce', () => {
  it('says the same warning once, and every other one', () => {
    const said: string[] = [];
    const report = warningOnce({ ...silentReporter, warn: (line) => said.push(line), info: (line) => said.push(line) });
    for (const line of ['no compile database', 'no compile database', 'another']) report.warn(line);
    for (const line of ['saxpy', 'saxpy']) report.info(line);
    expect(said).toEqual(['no compile database', 'another', 'saxpy', 'saxpy']);
  });
});
