// `npm run lint:native`: every C++ file that git tracks, or would, is formatted (tables, .def, are laid out by hand; vendor/ is others') as .clang-format says.
import { execFileSync, spawnSync } from 'node:child_process';

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'native', 'examples', 'e2e', 'bench'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(cpp|cc|h|hpp|hip|cu|cuh)$/.test(file) && !file.includes('/vendor/'));
const ended = spawnSync('clang-format', ['--dry-run', '-Werror', ...files], { stdio: 'inherit' });
if (ended.error) {
  console.error(`error: clang-format cannot be started (${ended.error.message})\n  → apt-get install clang-format`);
  process.exitCode = 5;
} else {
  process.exitCode = ended.status ?? 1;
}
