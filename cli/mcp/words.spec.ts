import { errorCodes } from '../../lib/support/error-codes';
import { stageNames, type StageName } from '../../lib/stages/registry';
import { toolWords } from './words';

const offered: StageName[] = ['profile', 'extract', 'recompile', 'validate', 'replay', 'tune', 'doctor'];
const words = toolWords(offered);
const all = toolWords(stageNames);

describe('text of the command line in the words of a client', () => {
  it.each<[string, string]>([
    ['run `kernloop recompile` (or `make recompile`)', 'run tool `recompile` (or `make recompile`)'],
    ['`kernloop doctor` says what', 'tool `doctor` says what'],
    ['name the file with --reproducer', 'name the file with option `reproducer`'],
    [
      'raise --limit-factor (on hardware --limit-seconds)',
      'raise option `limitFactor` (on hardware option `limitSeconds`)',
    ],
    ['pass the option --atol, or --rtol=1e-5', 'pass the option `atol`, or option `rtol: 1e-5`'],
    ['`--variant none` takes the captured code', 'option `variant: none` takes the captured code'],
    ['say it with `--set NAME=VALUE`', 'say it with option `set: ["NAME=VALUE"]`'],
    ['With --no-recompile it is an error', 'With option `recompile: false` it is an error'],
    ['`kernloop extract --recapture`', 'tool `extract` with `recapture: true`'],
    ['`kernloop extract -- ./demo "a b"`', 'tool `extract` with `command: ["./demo","a b"]`'],
    [
      "name one of them: -k 'scale<float, 4>', -k 'x'",
      "name one of them: option `kernel` 'scale<float, 4>', option `kernel` 'x'",
    ],
    [
      'Next, edit k/kernel.hip, then: kernloop validate k',
      'Next, edit k/kernel.hip, then: tool `validate` with `reproducer: k`',
    ],
    [
      "Next: kernloop extract --app apps/x -k 'scale<float, 4>' -- ./demo 3",
      'Next: tool `extract` with `app: apps/x`, `kernel: ["scale<float, 4>"]`, `command: ["./demo","3"]`',
    ],
    [
      'see it: kernloop profile --app x; then name it, and: kernloop extract --app x',
      'see it: tool `profile` with `app: x`; then name it, and: tool `extract` with `app: x`',
    ],
    ['see kernloop validate --help', 'see the input schema of tool `validate`'],
    ['see --help for the options', 'see the input schema for the options'],
    ['run kernloop validate again', 'run tool `validate` again'],
    ['kernloop replay kernels/a/b judges nothing', 'tool `replay` with `reproducer: kernels/a/b` judges nothing'],
  ])('%s', (text, expected) => {
    expect(words(text)).toBe(expected);
  });

  it.each([
    'name one with `sinfo --format="%P %l"`, or `npm install --force kernloop`',
    'build it with `--no-offload-compress` and --offload-arch=gfx90a',
    'batched-scale: build: cmake --build build',
    './demo --seed 3 --output x exited with code 1',
    'install kernloop once more, or use `kernloop mcp --allow-outside`',
    'a line -- with dashes, `one backtick and --atol',
    'the pattern a--atol and /x--atol',
    'kernloop.json of the app; KERNLOOP_REPLAY_SEED',
  ])('stays as it is where it is none of ours: %s', (text) => {
    expect(words(text)).toBe(text);
  });

  it('says of a tool that is not offered how to get it', () => {
    expect(words('`kernloop trace run` first')).toBe(
      'tool `trace-run` (not offered here: `kernloop mcp --tools all`) first',
    );
  });

  it('leaves no verb and no flag of ours in what to do after an error', () => {
    const left = Object.entries(errorCodes).filter(([, { next }]) => /`(?:kernloop |--)/.test(all(next)));
    // A service is started on the command line; flags of npm and hipcc, and the command line's own.
    const service = ['JUDGE_UNREACHABLE', 'JUDGE_ANSWER', 'ADDRESS_REFUSED'];
    const others = ['ENVIRONMENT_NATIVE_MISSING', 'CODE_OBJECT_COMPRESSED'];
    expect(left.map(([code]) => code)).toEqual(['USAGE', ...service, ...others]);
  });
});
