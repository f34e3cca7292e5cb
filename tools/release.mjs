// `npm run release -- VERSION [--dry-run] [--no-build]`: docs/contributing/release.md. Both packages have the version
// of package.json.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, runMain, step, StepError } from './console.mjs';
import { publish } from './packages/publish.mjs';

const changed = ['package.json', 'package-lock.json', 'CHANGELOG.md', 'python/src/kernloop/_version.py'];

function git(...args) {
  const ended = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (ended.status !== 0) throw new StepError(`git ${args.join(' ')}: ${ended.stderr}`, '');
  return ended.stdout.trim();
}

/** Gives the unreleased entries their version; an empty heading stays for later ones. */
function dateChangelog(version) {
  const file = join(root, 'CHANGELOG.md');
  const before = readFileSync(file, 'utf8');
  const day = new Date().toISOString().slice(0, 10);
  const after = before.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [${version}] - ${day}\n`);
  if (after === before) throw new StepError('CHANGELOG.md has no "## [Unreleased]"', 'say there what is new');
  writeFileSync(file, after);
}

await runMain(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'dry-run': { type: 'boolean' }, 'no-build': { type: 'boolean' } },
  });
  const [version] = positionals;
  // npm would accept other suffixes after the hyphen, but a Python wheel cannot express them.
  if (!/^\d+\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?$/.test(version ?? ''))
    throw new StepError('which version?', 'npm run release -- 1.2.3 (or 1.2.3-rc.1, -alpha.1, -beta.1) [--dry-run]', 2);
  if (git('status', '--porcelain') !== '')
    throw new StepError('there is work that is not committed', 'commit it: a release is a commit');
  const dryRun = values['dry-run'] ?? false;
  let isCommitted = false;
  try {
    await step('version', 'npm', [
      'version',
      version,
      '--no-git-tag-version',
      '--allow-same-version',
      '--ignore-scripts',
    ]);
    await step('generated files', 'npm', ['run', '--silent', 'schemas']);
    dateChangelog(version);
    await step('package', 'node', ['tools/package.mjs', ...(values['no-build'] ? ['--no-build'] : [])], {
      inherit: true,
    });
    if (!dryRun) {
      git('commit', '-q', '-m', `Release ${version}`, '--', ...changed);
      isCommitted = true;
      git('tag', `v${version}`);
    }
    await publish(join(root, 'dist-packages'), version, { dryRun });
  } finally {
    if (!isCommitted) git('checkout', '-q', '--', ...changed);
  }
  console.log(dryRun ? '\nNothing was published, committed or tagged.' : `\nThen: git push origin main v${version}`);
});
