import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedFiles } from './generate';

describe('generated files', () => {
  it.each([...generatedFiles()])('%s is what the schemas say (run `npm run schemas`)', (path, content) => {
    expect(readFileSync(join(__dirname, '..', path), 'utf8')).toBe(content);
  });

  it('are all the published schemas there are', () => {
    const folder = join(__dirname, 'output');
    const published = readdirSync(folder).map((name) => `schemas/output/${name}`);
    expect(published.filter((path) => !generatedFiles().has(path))).toEqual([]);
  });

  it('leaves defaults out of executor schemas, because Nx would pass them as if they had been given', () => {
    for (const [path, content] of generatedFiles()) {
      if (path.startsWith('executors/')) expect(content).not.toContain('"default"');
    }
  });
});
