import { rmSync } from 'node:fs';
import { reproducerForEachTest } from '../testing/workspace';
import { extractCommand } from './extract-command';
import { openReproducer } from './reproducer';

describe('the command that extracts a reproducer anew', () => {
  const made = reproducerForEachTest();
  const before = process.cwd();
  afterEach(() => process.chdir(before));

  const typedIn = (folder: string): string => {
    process.chdir(made.workspace.path(folder));
    return extractCommand(openReproducer(made.reproducer), '--reset');
  };

  it('names the app except in its folder, and one below', () => {
    made.workspace.write('app/src/saxpy.hip', '');
    made.workspace.write('other/kernloop.json', { name: 'other', command: ['./other'], kernels: [] });
    expect(['.', 'kernels/app/saxpy', 'other', 'app', 'app/src'].map(typedIn)).toEqual([
      'kernloop extract saxpy --app app --reset',
      'kernloop extract saxpy --app ../../../app --reset',
      'kernloop extract saxpy --app ../app --reset',
      'kernloop extract saxpy --reset',
      'kernloop extract saxpy --reset',
    ]);
  });

  it('names no app that is not there', () => {
    rmSync(made.workspace.path('app'), { recursive: true });
    expect(typedIn('.')).toBe('kernloop extract saxpy --reset');
  });
});
