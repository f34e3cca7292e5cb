import fs, { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { formerVerbs } from '../lib/stages/former-verbs';
import { stageNames, verbWords } from '../lib/stages/registry';
import { TestWorkspace, writeReproducer } from '../lib/testing/workspace';
import { failure } from '../lib/testing/failure';
import { validate } from './api';
import { main } from './main';

describe('kernloop on the command line', () => {
  let workspace: TestWorkspace;
  let stdout = '';
  let stderr = '';

  beforeEach(() => {
    workspace = new TestWorkspace();
    stdout = '';
    stderr = '';
    jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => ((stdout += String(chunk)), true));
    jest.spyOn(process.stderr, 'write').mockImplementation((chunk) => ((stderr += String(chunk)), true));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    process.exitCode = undefined;
    workspace.dispose();
  });

  async function kernloop(...args: string[]): Promise<number> {
    process.exitCode = undefined;
    await main(['node', 'kernloop', ...args]);
    return Number(process.exitCode ?? 0);
  }

  it('is a program: npx changes nothing in the checkout', () => {
    expect(statSync(join(__dirname, '..', 'bin', 'kernloop.js')).mode & 0o111).toBe(0o111);
  });

  it.each([
    ['ENOSPC', 'write', 'FILE_UNWRITABLE', 'report.html cannot be written: the disk is full (ENOSPC)', 5],
    ['EACCES', 'open', 'FILE_UNREADABLE', 'report.html cannot be opened: there is no permission (EACCES)', 2],
  ])('says of %s what the error says, without a stack', async (code, syscall, name, message, exitCode) => {
    const reproducer = writeReproducer(workspace);
    const { renameSync } = fs;
    jest.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      if (!String(to).startsWith(reproducer)) return renameSync(from, to);
      throw Object.assign(new Error(`${code}: of the system`), { code, syscall, path: to });
    });
    expect(await kernloop('report', reproducer)).toBe(exitCode);
    expect(stderr).toContain(`error: ${reproducer}/build/${message} [${name}]`);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it.each([
    ['an unknown verb', ['captur'], 'Did you mean capture?'],
    ['an unknown option', ['capture', '--kernal', 'x'], 'Did you mean --kernel?'],
    ['the beginning of an option', ['validate', '--repl', '3'], 'Did you mean --replays?'],
    ['the beginning of several', ['validate', '--limit=3'], 'Did you mean one of --limit-factor, --limit-seconds?'],
    ['an option that another verb calls so', ['pack', '--to', 'x'], "unknown option '--to'. Did you mean --output?"],
    ['the other way', ['unpack', 'x', '--output', 'y'], "unknown option '--output'. Did you mean --to?"],
    ['an abbreviated option', ['replay', '--iters', '3'], 'Did you mean --iterations?'],
    ...Object.entries(formerVerbs).map(([was, is]): [string, string[], string] => {
      return ['a former verb', [was, 'folder'], `Did you mean ${is} --app?`];
    }),
    ['the beginning of a verb', ['val'], 'Did you mean validate?'],
    ['a program without a verb', ['./package.json', '-x'], 'kernloop profile -- ./package.json -x'],
    ['an abbreviated verb', ['recmp'], 'Did you mean recompile?'],
    ['a value of the wrong type', ['replay', '--iterations', 'many'], '"many" is not a number'],
    ['a value out of range', ['capture', '--app', '{app}', '--ordinal', '0'], '--ordinal'],
    ['an unknown device', ['capture', '--app', '{app}', '--device', 'softgpo'], '(did you mean "softgpu"?)'],
    ['an unknown target', ['capture', '--app', '{app}', '--softgpu', 'gfx90b'], 'did you mean gfx90a?'],
    ['an option that is required', ['generate', '--app', '{app}'], 'kernel is missing'],
    ['a group without its verb', ['trace'], 'trace needs a verb: run, read, gen, export, analyze'],
    ['an unknown verb of a group', ['trace', 'reed'], 'Did you mean read?'],
    ['an unknown option of a verb of two words', ['trace', 'read', 'x', '--prob', 'y'], 'Did you mean --probe?'],
    ['a folder without a trace', ['trace', 'read', '{app}'], 'holds no trace'],
    ['a program without dashes', ['profile', '{app}/program', '3'], 'kernloop profile -- {app}/program 3'],
    ['one with options', ['extract', '-k', 'x', '{app}/program', '--size', '3'], '-k x -- {app}/program --size 3'],
    ['one that is taken for a kernel', ['extract', '--app', '{app}', '{app}/program'], '-- {app}/program'],
    ['one that is not built', ['extract', '--app', '{app}', '-k', 'x', './lab', '3'], '-k x -- ./lab 3'],
    ['one without a kernloop.json', ['extract', '--app', '/', '{app}/program'], 'extract --app / -- {app}/program'],
    ['one in the place of a folder', ['profile', '{app}/program'], 'put -- before a program'],
    ['dashes without a program', ['profile', '--'], 'no program follows --'],
    ['a program given twice', ['profile', '--command', 'a', '--', 'b'], 'command of profile is given twice'],
    ['a folder without an app', ['capture', '--app', '/'], 'no kernloop.json'],
    ['the working folder, without an app', ['pgo-use', '--app', '--rounds', '3'], 'no kernloop.json'],
    ['a folder without a reproducer', ['validate', '/'], 'no kernel.json'],
  ])('ends with exit code 2 for %s and says what to do', async (_name, args, message) => {
    expect(await kernloop(...args.map((word) => word.replace('{app}', workspace.app)))).toBe(2);
    expect(stderr).toContain(message.replace('{app}', workspace.app));
    expect(stderr).toContain('→');
    expect(stdout).toBe('');
  });

  it('prints an error as JSON when asked for JSON', async () => {
    expect(await kernloop('capture', '--app', workspace.app, '--kernel', 'saxpu', '--json')).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ exit_code: 2, error: { code: 'KERNEL_UNKNOWN' } });
  });

  it('has one exit code for what the environment lacks', async () => {
    rmSync(workspace.native.agentCuda);
    jest.replaceProperty(process, 'env', { ...process.env, KERNLOOP_NATIVE_DIR: workspace.native.root });
    expect(await kernloop('capture', '--app', workspace.app, '--device', 'cuda')).toBe(5);
    expect(stderr).toContain('this native build has no cuda device');
  });

  it('warns once of a variable that nothing reads, and names the nearest', async () => {
    const reproducer = writeReproducer(workspace);
    jest.replaceProperty(process, 'env', { ...process.env, KERNLOOP_VALIDATE_REPLYS: '7', KERNLOOP_TUNE_SAMPLES: '3' });
    expect(await kernloop('validate', reproducer, '--print-config', '--json')).toBe(0);
    expect(stderr).toBe(
      'warning: KERNLOOP_VALIDATE_REPLYS is set, and nothing reads it: did you mean KERNLOOP_VALIDATE_REPLAYS?\n',
    );
    expect(JSON.parse(stdout)).toMatchObject({ options: { replays: 2 } });
  });

  it('shows every option in effect with its origin, and does nothing', async () => {
    const reproducer = writeReproducer(workspace, { options: { validate: { replays: 5 } } });
    expect(await kernloop('validate', reproducer, '--print-config', '--json', '--limit-factor', '20')).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      options: { replays: 5, limitFactor: 20, device: 'softgpu' },
      origins: {
        replays: 'kernel.json',
        limitFactor: 'flag --limit-factor',
        device: 'kernel.json',
        limitSeconds: 'default',
      },
    });
  });

  it('takes kernels as words, and switches as --no-…', async () => {
    await kernloop('capture', 'saxpy', '--app', workspace.app, '--no-self-check', '--print-config', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ options: { kernel: ['saxpy'], selfCheck: false } });
  });

  it.each(['validate', 'tune'])('tells whether the user of %s gave what only some devices can do', async (verb) => {
    const reproducer = writeReproducer(workspace);
    const given = async (...words: string[]): Promise<{ options: object; origins: object }> => {
      stdout = '';
      expect(await kernloop(verb, reproducer, ...words, '--print-config', '--json')).toBe(0);
      return JSON.parse(stdout) as { options: object; origins: object };
    };
    const left = await given();
    for (const option of ['adverse', 'delays']) {
      expect(left.options).not.toHaveProperty(option);
      expect(left.origins).not.toHaveProperty(option);
    }
    expect(await given('--no-adverse', '--delays', '0')).toMatchObject({
      options: { adverse: false, delays: 0 },
      origins: { adverse: 'flag --adverse', delays: 'flag --delays' },
    });
    expect(await given('--adverse')).toMatchObject({ options: { adverse: true } });
  });

  it('refuses an option that the device does not have, by its name', async () => {
    expect(await kernloop('validate', writeReproducer(workspace), '--delays', '3')).toBe(2);
    expect(stderr).toMatch(/--delays .*; this is softgpu/);
  });

  it('takes verbs of two words, and says in --json which stage it was', async () => {
    expect(await kernloop('trace', 'read', 'a.bin', '--print-config', '--json')).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ verb: 'trace-read', options: { trace: 'a.bin' } });
    stdout = '';
    expect(await kernloop('trace', 'read', '/nowhere', '--json')).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ verb: 'trace-read', error: { code: 'FILE_NOT_FOUND' } });
  });

  it('takes the words after -- as a program and its arguments, whatever they look like', async () => {
    const words = ['./demo', '--json', 'capture', '--', '-k'];
    const own = ['extract', 'one', '-k', 'two', '--app', workspace.path('native'), '--print-config', '--json'];
    expect(await kernloop(...own, '--', ...words)).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      verb: 'extract',
      options: { command: words, kernel: ['two', 'one'], device: 'softgpu' },
      origins: { device: 'the program' },
    });
  });

  it.each([
    [['--match', 'reduce', '--output', 'X', '--', './demo', '3'], 'kernloop extract -k reduce -- ./demo 3'],
    [['--kernel=a b', '--', './demo'], "kernloop extract -k 'a b' -- ./demo"],
    [['--', './demo'], 'kernloop extract -- ./demo'],
    [['--match', '--'], 'kernloop extract -- ./demo'],
  ])('names an extraction in the place of capture %j', async (words, command) => {
    expect(await kernloop('capture', ...words)).toBe(2);
    expect(stderr).toContain(`\`${command}\` captures from that program`);
    expect(stderr.includes('it has no --output')).toBe(words.includes('--output'));
    const inApp = jest.spyOn(process, 'cwd').mockReturnValue(workspace.root);
    workspace.write('kernloop.json', {});
    stderr = '';
    expect(await kernloop('capture', ...words)).toBe(2);
    inApp.mockRestore();
    expect(stderr).toContain(`\`${command}\` captures from that program`);
    expect(stderr).toContain('; without the program, capture takes a kernel that kernloop.json declares');
  });

  it('takes no program after -- for a kernel that is to be captured, and says what does', async () => {
    expect(await kernloop('capture', '-k', '.*', '--', './three')).toBe(2);
    expect(stderr).toContain('capture takes no program after --');
    expect(stderr).toContain("kernloop extract -k '.*' -- ./three");
  });

  it.each([['validate'], ['replay'], ['trace', 'run']])(
    'recompiles what was edited before it is replayed: %s',
    async (...verb) => {
      const reproducer = writeReproducer(workspace);
      workspace.write(`${reproducer}/kernel_variant.hip`, 'edited');
      const told = async (...words: string[]): Promise<string> => {
        stderr = '';
        expect(await kernloop(...verb, reproducer, ...words)).toBe(2);
        return /\[(\w+)\]$/m.exec(stderr)?.[1] ?? stderr;
      };
      // This reproducer has no recipe to compile by.
      expect(await told()).toBe('SOURCE_NOT_FOUND');
      expect(await told('--no-recompile')).toBe('VARIANT_MISSING');
      expect(await told('--variant', 'mine.hsaco')).toBe('VARIANT_MISSING');
    },
  );

  it('recompiles for the API as well', async () => {
    const reproducer = writeReproducer(workspace);
    workspace.write(`${reproducer}/kernel_variant.hip`, 'edited');
    expect(await failure(validate({ reproducer }))).toMatchObject({ code: 'SOURCE_NOT_FOUND' });
    expect(await failure(validate({ reproducer, recompile: false }))).toMatchObject({ code: 'VARIANT_MISSING' });
  });

  it.each<[string[], RegExp]>([
    [['--serve', './a.sock', '--stdio'], /either an address or stdio.*USAGE/],
    [['--stdio', 'candidate.hip'], /too many arguments.*USAGE/],
    [['--serve', './a.sock', '--reports', 'r'], /unknown option '--reports'/],
    [['--serve=nonsense', '--unsandboxed'], /nonsense is no address.*ADDRESS_REFUSED/],
  ])('judge %j is refused as a service', async (words, message) => {
    const folder = writeReproducer(workspace);
    expect(await kernloop('judge', '--reproducer', folder, '--home', workspace.path('home'), ...words)).toBe(2);
    expect(stderr).toMatch(message);
  });

  it('tells of the service in the help of judge, and its options in the help of the service', async () => {
    expect(await kernloop('judge', '--help')).toBe(0);
    expect(stdout).toMatch(/kernloop judge --stdio --reproducer/);
    stdout = '';
    expect(await kernloop('judge', '--stdio', '--help')).toBe(0);
    expect(stdout).toMatch(/--tokens <value>/);
  });

  it('watches a reproducer alone, and ends with its input if it is asked to', async () => {
    expect(await kernloop('watch', '/')).toBe(2);
    expect(stderr).toContain('no kernel.json');
    const stdin = new PassThrough();
    jest.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as unknown as typeof process.stdin);
    const ended = kernloop('watch', writeReproducer(workspace), '--until-eof', '--no-compare');
    stdin.end();
    expect(await ended).toBe(0);
    expect(stderr).toMatch(/^saxpy: watching .*kernels\/app\/saxpy$/m);
    expect(stderr).not.toContain('r: again');
  });

  it('takes -v for --verbose', async () => {
    await kernloop('validate', writeReproducer(workspace), '-v', '--print-config', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ options: { verbose: true } });
  });

  it.each(stageNames)(
    'tells each default of %s once, and never the folder "." with a full stop behind it',
    async (name) => {
      expect(await kernloop(...verbWords(name), '--help')).toBe(0);
      const options = stdout.replace(/\s+/g, ' ').split(/ (?=--[a-z])/);
      expect(options.filter((text) => text.includes('Default: ..') || text.split('Default: ').length > 2)).toEqual([]);
    },
  );

  it('names the working folder where it is the default', async () => {
    expect(await kernloop('validate', '--help')).toBe(0);
    expect(stdout.replace(/\s+/g, ' ')).toContain('or any folder below it. Default: the working folder.');
  });

  it.each([[[]], [['--help']]])('shows help with the three commands to start with for %j', async (args) => {
    expect(await kernloop(...args)).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.slice(1, 4).map((line) => /^ {2}kernloop (\w+) /.exec(line)?.[1])).toEqual([
      'profile',
      'extract',
      'validate',
    ]);
    expect(lines.length).toBeLessThanOrEqual(45);
    expect(stdout).toMatch(/^ {2}tune /m);
    expect(stdout).not.toMatch(/^ {2}pgo-merge /m);
    expect(lines.at(-1)).toMatch(/^kernloop help --all lists all \d+ verbs\.$/);
    expect(stderr).toBe('');
  });

  it.each([[['help', '--all']], [['--help', '--all']]])('lists every verb for %j', async (args) => {
    expect(await kernloop(...args)).toBe(0);
    const first = new Set(stageNames.map((name) => verbWords(name)[0] ?? ''));
    for (const verb of [...first, 'watch', 'mcp']) expect(stdout).toMatch(new RegExp(`^  ${verb} `, 'm'));
  });

  it.each([[['validate']], [['trace']], [['pgo-merge']]])('shows the help of %j, listed or not', async (words) => {
    expect(await kernloop('help', ...words)).toBe(0);
    expect(stdout).toContain(`kernloop ${words.join(' ')} `);
  });

  it('shows the version with exit code 0', async () => {
    expect(await kernloop('--version')).toBe(0);
  });
});
