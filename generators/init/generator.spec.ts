import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logger, readJson, readNxJson, updateNxJson, type Tree } from 'nx/src/devkit-exports';
import { createTreeWithEmptyWorkspace } from '@nx/devkit/testing';
import { FsTree } from 'nx/src/generators/tree';
import { version } from '../../lib/support/version';
import init from './generator';

let tree: Tree;
let said: string[];

beforeEach(() => {
  said = [];
  jest.spyOn(logger, 'info').mockImplementation((text: string) => void said.push(text));
  tree = createTreeWithEmptyWorkspace();
});

const changes = () => tree.listChanges().map(({ path, content }) => [path, content?.toString()]);
const text = (path: string) => tree.read(path, 'utf-8') ?? '';
/** Runs init like Nx, but without installing packages. */
const initWorkspace = async (): Promise<void> => {
  tree.write('package.json', '{ "devDependencies": { "kernloop": "*" } }');
  await (
    await init(tree, {})
  )();
};

describe('init', () => {
  it('makes the nx.json of a workspace that has none, and says nothing of its cloud and its analytics', async () => {
    tree.delete('nx.json');
    await initWorkspace();
    expect(readJson(tree, 'nx.json')).toEqual({
      $schema: './node_modules/nx/schemas/nx-schema.json',
      plugins: ['kernloop/plugin'],
      cacheDirectory: '.nx/cache',
    });
    expect(text('.gitignore')).toMatch(/^# Kernloop.*\nnode_modules\n\.nx\/cache\n/);
  });

  it('changes nothing when it runs again, and says so', async () => {
    await initWorkspace();
    const before = changes();
    expect(said.join()).toContain('nx.json: added kernloop/plugin and cacheDirectory');
    said = [];
    await initWorkspace();
    expect(changes()).toEqual(before);
    expect(said.join()).toContain('is set up already');
    expect(said.join()).toContain('nx g kernloop:app <folder>');
  });

  it("keeps the workspace's own choices", async () => {
    const own = { plugins: ['other', { plugin: 'kernloop/plugin' }], cacheDirectory: 'tmp/cache', nxCloudId: 'team' };
    updateNxJson(tree, { ...readNxJson(tree), ...own });
    const before = text('nx.json');
    tree.write('.gitignore', 'node_modules\n/.nx\n');
    await initWorkspace();
    expect(text('nx.json')).toBe(before);
    const lines = text('.gitignore').split('\n');
    expect(lines).not.toContain('.nx/cache');
    expect(lines.filter((line) => line === 'node_modules')).toHaveLength(1);
    expect(lines).toContain('**/kernels/*/*/capture/');
  });

  it('keeps comments and layout of nx.json', async () => {
    const own = [
      '{',
      '\t// where our cache lies: ask the platform team',
      '\t"cacheDirectory": "/mnt/cache",',
      '\t"plugins": [ { "plugin": "@nx/js", "options": {} } /* the others */ ],',
      '\t"nxCloudId": "team", // and this',
      '}',
      '',
    ];
    tree.write('nx.json', own.join('\n'));
    await initWorkspace();
    for (const comment of ['// where our cache lies: ask the platform team', '// and this']) {
      expect(text('nx.json')).toContain(comment);
    }
    expect(text('nx.json')).toContain('\t"cacheDirectory": "/mnt/cache",\n');
    expect(readNxJson(tree)).toEqual({
      cacheDirectory: '/mnt/cache',
      plugins: [{ plugin: '@nx/js', options: {} }, 'kernloop/plugin'],
      nxCloudId: 'team',
    });
  });

  it('keeps the plugins and the cache that nx.json has from what it extends', async () => {
    const root = mkdtempSync(join(tmpdir(), 'kernloop-init-'));
    try {
      writeFileSync(join(root, 'preset.json'), '{ "plugins": ["@nx/js"], "cacheDirectory": "kept" }');
      writeFileSync(join(root, 'nx.json'), '{ "extends": "./preset.json" }');
      tree = new FsTree(root, false);
      await init(tree, {});
      expect(readJson(tree, 'nx.json')).toEqual({ extends: './preset.json', plugins: ['@nx/js', 'kernloop/plugin'] });
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it('adds itself to package.json where it is missing, and leaves there what is there', async () => {
    tree.write('package.json', '{ "devDependencies": { "nx": "24.0.0" } }');
    await init(tree, {});
    expect(readJson(tree, 'package.json')).toMatchObject({ devDependencies: { nx: '24.0.0', kernloop: version } });
    for (const own of [
      { devDependencies: { kernloop: 'file:kernloop.tgz' } },
      { dependencies: { kernloop: '^0.0.1' } },
      { name: 'kernloop' },
    ]) {
      tree.write('package.json', JSON.stringify(own));
      await init(tree, {});
      expect(readJson(tree, 'package.json')).toEqual(own);
    }
    tree.write('package.json', '{}');
    await init(tree, { skipPackageJson: true });
    expect(readJson(tree, 'package.json')).toEqual({});
    tree.delete('package.json');
    await init(tree, {});
    expect(tree.exists('package.json')).toBe(false);
  });
});
