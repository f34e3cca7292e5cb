import { TestWorkspace } from '../testing/workspace';
import { portableDatabase } from './portable-database';

describe('a compile database', () => {
  const entry = (folder: string, more = '') =>
    JSON.stringify([
      {
        directory: `${folder}/app`,
        command: `hipcc -I${folder}/include -I${folder}-2/include ${more} -c ${folder}/app/a.hip`,
      },
    ]);
  const portable = (text: (folder: string) => string): string => {
    const workspace = new TestWorkspace();
    try {
      return portableDatabase(workspace.write('db.json', text(workspace.root)), workspace.root);
    } finally {
      workspace.dispose();
    }
  };

  it('is the same in another clone, and another where what it says is another', () => {
    const own = (folder: string): string => entry(folder).replaceAll(`${folder}-2`, '/opt');
    expect(portable(own)).toBe(portable(own));
    expect(portable(own)).toContain('-I{workspace}/include -I/opt/include');
    expect(portable((folder) => own(folder).replace('-c', '-DX -c'))).not.toBe(portable(own));
  });

  it('keeps a folder whose name only begins as the workspace', () => {
    expect(portable((folder) => entry(folder))).toMatch(/-I\{workspace\}\/include -I\/.*-2\/include/);
    expect(portable((folder) => `"/mnt${folder}/x"`)).not.toContain('{workspace}');
  });

  it('is told from one that is missing', () => {
    expect(portableDatabase('/nowhere/compile_commands.json', '/')).toBe('none\n');
  });
});
