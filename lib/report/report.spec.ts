import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepVerdict, keptPaths, readVerdicts } from '../reproducer/kept-results';
import { failure } from '../testing/failure';
import { fakeDeps } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import type { Report } from '../validate/report-json';
import { reportOptionsSchema } from './options';
import { report } from './report';
import {
  fakes,
  hostile,
  judged,
  keepCompared,
  keepExplained,
  keepHotSpots,
  reproducerOf,
  writeAutotuned,
  writeTune,
} from './testing/reproducer';

describe('the page of a reproducer', () => {
  let workspace: TestWorkspace;
  let root: string;
  beforeEach(() => {
    workspace = new TestWorkspace();
    root = reproducerOf(workspace);
  });
  afterEach(() => workspace.dispose());

  const made = async (more: object = {}): Promise<string> => {
    const deps = fakeDeps({}, workspace.native);
    const { file, bytes } = await report(reportOptionsSchema.parse({ reproducer: root, ...more }), deps);
    const text = readFileSync(file, 'utf8');
    expect([deps.calls.length, Buffer.byteLength(text)]).toEqual([0, bytes]);
    return text;
  };
  const sectionOf = (text: string, id: string): string =>
    new RegExp(`<section aria-labelledby="${id}">[^]*?</section>`).exec(text)?.[0] ?? '';

  const plain = (html: string): string => html.replaceAll(/<[^>]*>/g, '');

  it('folds what nobody measured into one section, a command a line, and draws nothing empty', async () => {
    const text = await made();
    const at = 'kernels/app/saxpy';
    // Commands are typed in the root of the workspace, where the reader of a page is.
    const lines = [
      ['Differences, Verdicts', `kernloop validate ${at}`],
      ['Time and counters', `kernloop replay ${at} --compare`],
      ['What limits it', `kernloop replay ${at} --explain`],
      ['Hot spots', `kernloop replay ${at} --hot-spots`],
      ['Configurations', `kernloop tune ${at} --set NAME=VALUES`],
      ['Profile of blocks', `kernloop pgo-generate ${at}`, `kernloop pgo-merge ${at}`],
      ['Traces', `kernloop trace run ${at} --probe block_sched`],
      ['Occupancy and roofline'],
    ];
    const section = sectionOf(text, 'unmeasured');
    const found = [...section.matchAll(/<dt>([^<]*)<\/dt>\s*<dd>([^]*?)<\/dd>/g)].map(([, title = '', body = '']) => [
      title,
      ...[...body.matchAll(/<code>([^]*?)<\/code>/g)].map(([, code = '']) => plain(code)),
    ]);
    expect(found).toEqual(lines);
    expect([...text.matchAll(/<h2 id="(\w+)"/g)].map(([, id]) => id)).toEqual(['unmeasured', 'captured']);
    expect(text).not.toContain('<svg');
    expect(sectionOf(text, 'captured')).toContain('4 × 1 × 1 blocks of 256 × 1 × 1 threads');
  });

  it('has a section of its own for what was measured, and no line for it', async () => {
    await judged(workspace, root, true);
    keepCompared(root, 'counts', fakes(workspace, true));
    const text = await made();
    const left = sectionOf(text, 'unmeasured');
    expect([left.includes('Hot spots'), /Differences|Verdicts|Time and counters/.test(left)]).toEqual([true, false]);
    expect([sectionOf(text, 'differences'), sectionOf(text, 'timing')]).not.toContain('');
  });

  it('of the workspace says that the capture was changed since its pass, and is not green then', async () => {
    await judged(workspace, root, false);
    const page = async (): Promise<string> => await made({ reproducer: undefined, workspace: workspace.root });
    const before = await page();
    expect([before.includes('1 reproducer: 1 pass.'), before.includes('verdict is-pass')]).toEqual([true, true]);
    const capture = 'kernels/app/saxpy/capture/capture.json';
    workspace.write(capture, `${workspace.read(capture)}\n`);
    const after = await page();
    expect(after).toContain('1 reproducer: 1 pass before a change.');
    expect([after.includes('since then: '), after.includes('verdict is-pass')]).toEqual([true, false]);
  });

  it('says that the capture was changed since the pass at its head, and is not green then', async () => {
    await judged(workspace, root, false);
    const before = await made();
    expect([before.includes('before a change'), before.includes('verdict is-pass')]).toEqual([false, true]);
    const capture = 'kernels/app/saxpy/capture/capture.json';
    workspace.write(capture, `${workspace.read(capture)}\n`);
    const after = await made();
    expect(after).toContain(
      'This is the verdict before a change. Since then: capture is another capture. <code>kernloop validate kernels/app/saxpy</code> judges it.',
    );
    expect([after.includes('verdict is-doubt'), after.includes('verdict is-pass')]).toEqual([true, false]);
  });

  it('is that of the workspace where the command is typed in its root, or beside kernloop.json', async () => {
    const title = 'Kernels of this workspace';
    for (const folder of [workspace.root, workspace.path('app')]) {
      const page = await made({ reproducer: folder });
      expect([folder, page.includes(title)]).toEqual([folder, true]);
    }
    expect(await made()).not.toContain(title);
    rmSync(workspace.path('kernels'), { recursive: true });
    expect((await failure(made({ reproducer: workspace.root }))).code).toBe('CONFIG_MISSING');
  });

  it('gives the commands to get occupancy only for devices that report it', async () => {
    const path = join(root, 'kernel.json');
    const config = JSON.parse(readFileSync(path, 'utf8')) as { device: object };
    writeFileSync(path, JSON.stringify({ ...config, device: { ...config.device, kind: 'cuda' } }));
    expect(plain(sectionOf(await made(), 'unmeasured'))).toMatch(/Occupancy and roofline\s+kernloop profile app/);
  });

  it('calls memory by one name everywhere, and a buffer that no parameter points to by its address', async () => {
    await judged(workspace, root, true);
    const differing = await made();
    // The id is in the table of what was captured, for readers of report.json.
    expect(sectionOf(differing, 'captured')).toMatch(/data-head="memory">x<[^]*data-head="id in the capture">r0</);
    const rest = differing.replace(sectionOf(differing, 'captured'), '');
    expect([/\br0\b/.test(rest), />x<\/h3>/.test(rest)]).toEqual([false, true]);
    const path = join(root, 'kernel.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"offset": 0', '"offset": 8'));
    expect(sectionOf(await made(), 'differences')).toContain('<h3>buffer at 0x400000000000</h3>');
  });

  it('says that nothing was compared where the launch faulted, and shows the reason once', async () => {
    await judged(workspace, root, false);
    const path = join(root, 'report.json');
    const place = 'at pc 0x50 (entry +0x8), instruction `global_store v0, v1`, workgroup (2, 0, 0), wave 1, lane 3';
    const summary = `the device faulted: memory access outside of every allocation in kernel _Z5saxpyPff ${place}: write of 4 bytes at 0x41b700000009: 8 bytes behind region r0 (64 B)`;
    const fault = { verdict: 'fault', summary, fault: summary, regions: [], differing_bytes: 0 };
    const json = JSON.parse(readFileSync(path, 'utf8')) as Report;
    const replays = json.replays.map((one) => ({ ...one, verdict: 'fault' }));
    writeFileSync(path, JSON.stringify({ ...json, ...fault, replays }));
    const kept = readVerdicts(root).map((one) => JSON.stringify({ ...one, verdict: 'fault', summary }));
    writeFileSync(keptPaths(root).verdicts, `${kept.join('\n')}\n`);
    const text = await made();
    expect(sectionOf(text, 'differences')).toContain('Nothing was compared');
    expect(text).not.toMatch(/Every byte that was compared|nothing differs/);
    expect(text.match(/8 bytes behind/g)).toHaveLength(1);
    expect(text).toContain('the device faulted: write of 4 bytes, 8 bytes behind x');
    expect(text).toContain(
      'Faulted in workgroup (2, 0, 0), wave 1, lane 3, at <code>global_store v0, v1</code> (entry +0x8).',
    );
    expect(sectionOf(text, 'verdicts')).toContain('as at the top of this page');
    expect(sectionOf(text, 'verdicts')).not.toMatch(/>bytes that differ</);
  });

  it('goes where it is asked to, again and again, but over no page of the user’s', async () => {
    const output = workspace.path('page.html');
    await made({ output });
    await judged(workspace, root, true);
    expect(await made({ output })).toContain('1,024 elements');
    writeFileSync(output, 'mine');
    expect((await failure(made({ output }))).code).toBe('TARGET_EXISTS');
    expect(readFileSync(output, 'utf8')).toBe('mine');
  });

  it('replaces its own page in build/, and no page of the user', async () => {
    await judged(workspace, root, true);
    const first = await made();
    expect(await made()).toBe(first);
    const page = workspace.write(join(root, 'build', 'report.html'), '<p>mine</p>');
    expect((await failure(made())).code).toBe('TARGET_EXISTS');
    expect(readFileSync(page, 'utf8')).toBe('<p>mine</p>');
  });

  it('says under the verdict which edited lines never ran, and which select a value', async () => {
    await judged(workspace, root, true);
    const path = join(root, 'report.json');
    const report = JSON.parse(readFileSync(path, 'utf8')) as object;
    const lines = { edited: 4, without_code: 2, not_run: [{ file: 'kernel_variant.hip', line: 39 }] };
    writeFileSync(path, JSON.stringify({ ...report, edited_lines: lines }));
    expect(await made()).toContain('no instruction of 1 of 4 edited lines ran: kernel_variant.hip:39');
    const selects = { edited: 1, without_code: 0, not_run: [], selects: [{ file: 'kernel_variant.hip', line: 40 }] };
    writeFileSync(path, JSON.stringify({ ...report, verdict: 'pass', edited_lines: selects }));
    const page = await made();
    expect(page).toMatch(/kernel_variant\.hip:40 selects a value /);
    expect(page).toMatch(/<code>--inputs 8<\/code> tries other scalars/);
  });

  it('is the same where nothing changed: no time of its making is in it', async () => {
    await judged(workspace, root, true);
    expect(await made()).toBe(await made());
  });

  it('shows where an output differs in cells of its index space, and its worst elements', async () => {
    await judged(workspace, root, true);
    const text = sectionOf(await made(), 'differences');
    // The table of differences is before their maps.
    expect(text.indexOf('Outputs: what the kernel changed')).toBeLessThan(text.indexOf('<svg'));
    expect(text).toContain('all of its 1,024 elements (f32): 17 bytes, in 5 of 1,024 cells, each of 1 element');
    const rows = [...text.matchAll(/<tr>\s*<td[^>]*data-head="array">x<\/td>([^]*?)<\/tr>/g)].map(([, row = '']) =>
      [...row.matchAll(/<td[^>]*>([^]*?)<\/td>/g)].map(([, cell]) => cell),
    );
    // NaN is worst; element 1000 has two equal bytes before the one that differs; 9 is right.
    expect(rows).toEqual([
      ['11', '4', 'NaN', 'no number'],
      ['10', '3', '13', '10'],
      ['8', '1', '1.5', '0.5'],
      ['1,000', '1', '0.5', '0.5'],
    ]);
  });

  it('names an element once, by the parameter that points to it, if it is the worst and among the first', async () => {
    await judged(workspace, root, true);
    const path = join(root, 'report.json');
    const json = JSON.parse(readFileSync(path, 'utf8')) as Report;
    const element = (offset: number): object => ({ offset, expected: 1, actual: 3.25000000001 });
    const typed = {
      ...{ offset: 0, bytes: 4096, dtype: 'f32', atol: 0, rtol: 0, ulp: 0, elements: 1024, equal: 1022, within: 0 },
      ...{ outside: 2, not_finite: 0, worst: element(160), first_outside: [element(32), element(160)] },
    };
    for (const names of [['in', 'out'], undefined]) {
      const [region] = json.regions;
      Object.assign(region ?? {}, { elements: [{ ...typed, arguments: names }] });
      writeFileSync(path, JSON.stringify(json));
      const table = sectionOf(await made(), 'differences');
      const rows = [...table.matchAll(/data-head="array">([^<]*)<[^]*?data-sort="(\d+)"/g)];
      expect(table).toMatch(/data-head="found"[^>]*>3\.25</);
      const array = names?.join(', ') ?? 'x';
      expect(rows.map(([, ...cells]) => cells)).toEqual([
        [array, '40'],
        [array, '8'],
      ]);
    }
  });

  it('shows the races that fail it, and the adverse replay that found them', async () => {
    await judged(workspace, root, false);
    const path = join(root, 'report.json');
    const access = { pc_offset: '0x8', instruction: 'ds_write_b32', workgroup: [3, 0, 0], wave: 1 };
    const race = {
      ...{ kernel: 'saxpy', where: 'LDS', offset: 128, address: '0x80', bytes: 4, text: 'a race' },
      accesses: [
        { ...access, access: 'write', source: 'saxpy.hip:7' },
        { ...access, access: 'read', source: null },
      ],
    };
    const adverse = {
      ...{ seed: 3, verdict: 'pass', differing_bytes: 0, wave_instructions: 9, of_wave_instructions: 9, findings: 2 },
      captured: { verdict: 'pass', findings: 1 },
    };
    const json = JSON.parse(readFileSync(path, 'utf8')) as Report;
    writeFileSync(path, JSON.stringify({ ...json, verdict: 'fail', adverse, races: [race] }));
    const text = await made();
    expect(sectionOf(text, 'races')).toMatch(
      />LDS, byte 128<[^]*>write, saxpy\.hip:7: ds_write_b32; workgroup 3, 0, 0, wave 1<[^]*>read, at 0x8: ds_write_b32;/,
    );
    expect(sectionOf(text, 'verdicts')).toMatch(
      />seed 1<[^]*?PASS[^]*?>not looked for<[^]*>adverse, seed 3<[^]*?FAIL[^]*?>1 new; waves raced at 2 places of the code</,
    );
    // The captured code that fails there takes the blame off the variant.
    const excused = { ...adverse, verdict: 'fail', captured: { verdict: 'fail', findings: 1 } };
    writeFileSync(path, JSON.stringify({ ...json, adverse: excused, races: [] }));
    const other = await made();
    expect(other).toContain('not held against the variant');
    expect(sectionOf(other, 'races')).toBe('');
  });

  it('keeps verdicts in the order in which they were given, and the last 200 of them', async () => {
    await judged(workspace, root, true);
    const deps = await judged(workspace, root, false);
    expect(readVerdicts(root).map(({ verdict }) => verdict)).toEqual(['fail', 'pass']);
    expect(sectionOf(await made(), 'verdicts')).toContain('The last 2 verdicts: 1 fail, 1 pass.');
    const [first] = readVerdicts(root);
    if (!first) throw new Error('there is one');
    writeFileSync(keptPaths(root).verdicts, `half a li\n${`${JSON.stringify(first)}\n`.repeat(200)}`);
    keepVerdict(root, { ...first, verdict: 'limit' }, deps);
    const kept = readVerdicts(root);
    expect([kept.length, kept.at(-1)?.verdict, kept[0]?.verdict]).toEqual([200, 'limit', 'fail']);
  });

  it('shows times with their interval where a device took them, and never where it only counted', async () => {
    keepCompared(root, 'times', fakes(workspace, false));
    const times = sectionOf(await made(), 'timing');
    expect(times).toContain(
      'slower: the variant takes 1.200 of the time of the captured code, 95 % interval 1.100 to 1.300',
    );
    expect(times).toContain('GPU time in µs');
    keepCompared(root, 'counts', fakes(workspace, false));
    const counts = sectionOf(await made(), 'timing');
    expect(counts).toContain('There are no times');
    expect(counts).not.toMatch(/µs|GPU time in/);
    expect(counts).toContain('The variant differs from the captured code in 2 of 3 counters that are not 0.');
    expect(counts).toMatch(/<summary>2 counters are 0<\/summary>\s*<p>mfma, scratch<\/p>/);
    expect(counts).toMatch(/replayed <time datetime="[-\dT:.]+Z">[-\d]{10} [\d:]{8} UTC<\/time>/);
    // Equal counters have a row that is folded, and no bar.
    expect(counts).toMatch(/<summary>1 counter is equal<\/summary>[^]*>salu<\/td>/);
    const drawn = /<svg[^]*?<\/svg>/.exec(counts)?.[0] ?? '';
    expect([counts.includes('>salu<'), drawn.includes('>valu<'), drawn.includes('>salu<')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(counts).toMatch(/wave instructions<\/td><td[^>]*>1,000<\/td><td[^>]*>1,200<\/td><td[^>]*>1.200 ×/);
  });

  it('says so where what was measured is of other code than what was judged', async () => {
    await judged(workspace, root, false);
    keepCompared(root, 'counts', fakes(workspace, false));
    expect(sectionOf(await made(), 'timing')).not.toContain('of other code');
    const path = keptPaths(root).compare;
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(/"code_object_sha256": "a+"/, `"code_object_sha256": "${'b'.repeat(64)}"`),
    );
    expect(sectionOf(await made(), 'timing')).toContain('of other code');
  });

  it('shows edited lines in which nothing was counted, marked, and counts those of other files', async () => {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index + 1};`);
    const edited = lines.map((line, index) => (index === 44 ? 'edited line 45;' : line));
    workspace.write(`kernels/app/saxpy/pristine/kernel_variant.hip`, lines.join('\n'));
    workspace.write(`kernels/app/saxpy/kernel_variant.hip`, edited.join('\n'));
    workspace.write(`kernels/app/saxpy/pristine/deps/a.h`, 'one\n');
    workspace.write(`kernels/app/saxpy/deps/a.h`, 'one\ntwo\nthree\n');
    keepHotSpots(root, fakes(workspace, false));
    const source = sectionOf(await made(), 'source');
    expect(source).toContain('edited line 45;');
    expect(source.match(/class="edited"/g)).toHaveLength(1);
    expect(source).not.toContain('line 40;');
    expect(source.replaceAll(/<[^>]*>|\s+/g, ' ').replaceAll(/ +/g, ' ')).toContain(
      '2 edited lines of deps/ a.h are not in this view: 2, 3',
    );
  });

  it('folds the instructions of a line under it, and shows no file from outside of the reproducer', async () => {
    workspace.write(
      'kernels/app/saxpy/kernel_variant.hip',
      '__global__ void saxpy() {\n  float y = 0;\n  y += x;\n}\n',
    );
    keepHotSpots(root, fakes(workspace, false));
    const inside = sectionOf(await made(), 'source');
    expect(inside).toMatch(
      /<tr class="l4">\s*<td class="n">3<\/td>[^]*?99\.3 %[^]*?<summary><span class="line"> {2}y \+= x;/,
    );
    expect(inside).toContain('float y = 0;');
    expect(inside).toContain('v_add_f32');
    workspace.write('secret.txt', 'one\ntwo\nthe secret\n');
    symlinkSync(workspace.path('secret.txt'), join(root, 'link.hip'));
    for (const file of ['../../../secret.txt', 'link.hip']) {
      keepHotSpots(root, fakes(workspace, false), file);
      const outside = await made();
      expect([file, outside]).toEqual([file, expect.not.stringContaining('the secret')]);
      expect(outside).toContain('The file is not in the reproducer');
    }
  });

  it('says what limits the kernel, and shows no source of other files', async () => {
    const deps = fakes(workspace, false);
    keepExplained(root, deps);
    const inside = sectionOf(await made(), 'limits');
    expect(inside).toContain('<strong>coalescing</strong>: at least 9 of 10 go.');
    expect(inside).toContain('kernel_variant.hip:3: 64 lines | y += x;');
    expect(inside).toContain('Try: transpose it.');
    expect(inside).toContain('Position: 0.25 vector operations a byte');
    expect(inside).toContain('Not told: nothing of caches');
    keepExplained(root, deps, '../other.hip');
    const outside = sectionOf(await made(), 'limits');
    expect(outside).toContain('../other.hip:3: 64 lines');
    expect(outside).not.toContain('y += x;');
  });

  it('lets no name become anything else than text', async () => {
    root = reproducerOf(workspace, hostile);
    const deps = await judged(workspace, root, true);
    keepHotSpots(root, deps);
    keepExplained(root, deps);
    writeTune(workspace, hostile);
    writeAutotuned(workspace, hostile);
    const text = await made();
    expect(text).not.toMatch(/<img|<script>alert/);
    expect(text.match(/<script/g)).toHaveLength(1);
    expect(text).toContain('&lt;img src=x onerror=&quot;alert(&#39;x&#39;)&quot;&gt;');
  });

  it('shows what the autotuner of the app tried, the best first and what did not run last, and calls no count a time', async () => {
    writeAutotuned(workspace, 'GROUP');
    const times = sectionOf(await made(), 'tune');
    const cells = [...times.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row = '']) =>
      [...row.matchAll(/<td[^>]*>([^]*?)<\/td>/g)].map(([, cell]) => cell),
    );
    expect(cells.slice(-3)).toEqual([
      ['chosen', '128', 'GROUP', '0.02', '1.000 ×'],
      ['', '64', 'GROUP', '0.03', '1.500 ×'],
      ['', '1024', 'GROUP', 'did not run', ''],
    ]);
    expect(times).toContain('ms, as the autotuner measured');
    expect(times).toContain('The best 2 of 2 configurations that ran');
    writeAutotuned(workspace, 'GROUP', 'wave_instructions');
    const counts = sectionOf(await made(), 'tune');
    expect(counts).toContain('wave-instructions');
    expect(counts).not.toMatch(/\bms\b/);
  });

  it('says once what all candidates that pass have in common', async () => {
    writeTune(workspace, 'BLOCK');
    const tune = sectionOf(await made(), 'tune');
    expect(tune).toContain('<p>Of each candidate that passes: right.</p>');
    const reasons = [...tune.matchAll(/data-head="why">([^]*?)<\/td>/g)].map(([, reason]) => reason);
    expect(reasons).toEqual(['at 256', '', '', expect.stringContaining('img')]);
    expect(tune).toMatch(/<p>The captured code: [\d,]+ wave-instructions\.<\/p>/);
  });

  it('names a file that nobody can read in its place, and makes the rest', async () => {
    workspace.write('kernels/app/saxpy/build/tune/tune.json', '{ "schema": ');
    const text = await made();
    expect(sectionOf(text, 'tune')).toMatch(/cannot be shown: .*tune\.json/);
    expect(sectionOf(text, 'captured')).toContain('r0');
  });

  it('refuses two pages at once, ranks of no trace, and a workspace that is none', async () => {
    expect(await failure(made({ trace: 'a', workspace: 'b' }))).toMatchObject({ code: 'USAGE' });
    expect(await failure(made({ ranks: ['a'] }))).toMatchObject({ code: 'USAGE' });
    expect(await failure(made({ workspace: workspace.path('none') }))).toMatchObject({ code: 'FILE_NOT_FOUND' });
  });
});
