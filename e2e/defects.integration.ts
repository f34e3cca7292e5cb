import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { addExtracted, recompiled } from './fixtures';
import { repository, run } from './harness';
import { Workspace } from './in-process';

interface Edit {
  set: 'defects' | 'correct';
  kind: string;
  title: string;
  options: string[];
  /** The kernel's source with the edit. */
  text: string;
}

/** Edits of different kernels of one file, which are compiled together. */
interface Batch {
  titles: string[];
  /** The file with all edits. */
  text: string;
}

/** Jest does not load the table, which is an ES module, so Node prints the requested entries. */
const script = `
import { readFileSync } from 'node:fs';
const [module, folder, ...titles] = process.argv.slice(1);
const { kinds, defects, correct, edited } = await import(module);
const source = (kernel) => readFileSync(folder + '/' + kernel + '/kernel_variant.hip', 'utf8');
const batches = [];
for (const entry of correct.filter(({ isSmall }) => isSmall)) {
  const file = source(entry.kernel);
  let batch = batches.find((one) => one.file === file && !one.kernels.includes(entry.kernel));
  if (!batch) batches.push((batch = { file, text: file, kernels: [], titles: [] }));
  batch.text = edited(batch.text, entry);
  batch.kernels.push(entry.kernel);
  batch.titles.push(entry.kernel + ': ' + entry.name);
}
const edits = Object.entries({ defects, correct }).flatMap(([set, list]) =>
  list
    .map((entry) => ({ set, title: entry.kernel + ': ' + entry.name, ...entry }))
    .filter(({ title }) => titles.includes(title))
    .map((entry) => ({ ...entry, text: edited(source(entry.kernel), entry) })),
);
console.log(JSON.stringify({ kinds: Object.keys(kinds), edits, batches }));
`;
const edits = join(repository, 'bench', 'defects', 'edits.mjs');
const node = ['--input-type=module', '--eval'];

/** Correct edits that are compiled together: all of them are judged here. */
const small = JSON.parse(
  execFileSync(process.execPath, [
    ...node,
    `const { correct } = await import(${JSON.stringify(edits)});
    console.log(JSON.stringify(correct.filter(({ isSmall }) => isSmall)));`,
  ]).toString(),
) as { kernel: string; name: string; options: string[]; deserves: 'pass' | 'vacuous' }[];

/**
 * One defect of each kind, and some edits after which the kernel is still right; bench/planted-defects.mjs runs all of
 * them.
 */
const chosen: Record<string, string> = {
  'lost update': 'histogram: plain add in LDS',
  'unordered flag': 'argmax_rows: flag in LDS in place of the barrier',
  'missing barrier': 'tree_sum: in the tree',
  'wrong lane': 'spmv: other direction',
  'off by one': 'spmv: end of the row',
  'uninitialised LDS': 'histogram: not cleared',
  'uninitialised register': 'spmv: sum of an empty row',
  'swapped fields': 'compact_records: id and tag',
  mispaired: 'compact_pairs: values rotated within a wave',
  'stale read': 'scan_doubling: the other buffer',
  'narrower store': 'histogram: counts of 3 bits',
  'wrong rounding': 'tree_sum: eight bits of each element',
  'launch bounds': 'tree_sum: 64 for 256',
  'wrong boundary': 'stencil2d: repeated border',
  'index overflow': 'matvec: 16 bits',
  'missing mask': 'tree_sum: tail',
  'double counting': 'histogram: overlapping strides',
  'stray store': 'compact_ordered: an end mark in the last place',
  'unused memory': 'last_block_sum: begins with what it finds far behind the partial sums',
  'kept state': 'saxpy: nothing from the third launch on',
  'missing wait': 'saxpy: used at once',
  'dropped atomic': 'host_sums: unsafe on fine-grained memory',
  'knows the judge': 'saxpy: looks for huge words in LDS',
  'past LDS': 'histogram: clears one bin too many',
  'captured input only': 'move_particles: hits overwritten',
};
/** Defects that publish data before it is written: only an order of the blocks shows them. */
const publishedTooEarly = [
  'last_block_sum: ticket before data',
  'last_block_sum: no fence',
  'scan_chained: flag before data',
  'scan_chained: plain data, no fence',
];
/** A store that other waves wait for at a barrier. */
const barrierByHand = 'wave_sum: a barrier by hand';
/** These defects have no other effect on the software GPU: the adverse order ends at the instruction. */
const missingWaits = ['saxpy: used at once', 'saxpy: waits for the first of two'];
/** Edits that are right in all other launches of the judge. */
const knowsTheJudge = [
  'saxpy: looks for the poison behind y',
  'saxpy: looks for huge words in LDS',
  'saxpy: looks for huge words in a register',
  'saxpy: looks for a young clock',
  'saxpy: looks for a young real-time clock',
  'saxpy: looks for compute unit 0',
  'saxpy: looks for a completion signal',
  'saxpy: looks for a null hostcall buffer',
];
/** Only one number is wrong in leftover memory, like those with which kernels mark places. */
const wrongLeftovers = [
  'saxpy: must not be -1 in LDS',
  'saxpy: must not be infinite in LDS',
  'saxpy: must not be the largest integer in private memory',
  'saxpy: must not be the largest integer in a register',
];
/** Defects across launches: the result of each launch alone is right. */
const keptStates: [title: string, verdict: RegExp][] = [
  [
    'saxpy: nothing from the hundredth launch on',
    /Result: VACUOUS \(it keeps state \(.*own.*\): after 8 launches in a row/,
  ],
  ['saxpy: counts behind its data', /Result: FAIL \(only the first launch gives what the app computed/],
  [
    'saxpy: counts where no symbol is',
    /Result: FAIL \(only the first launch gives what the app computed.* no symbol names/,
  ],
];
/** Each access is atomic or volatile, so only an order of the blocks shows the defect. */
const lostBetweenAtomics = [
  'histogram: relaxed load and store',
  'histogram: volatile load and store',
  'histogram: two atomics',
  'histogram: one try',
];
/** Hardware continues after such an access, with other values beside other workgroups. */
const pastLds: [title: string, does: string][] = [
  ['histogram: clears one bin too many', 'writes'],
  ['transpose: begins with one element too many', 'reads'],
  ['differences: writes where the kernel reads', 'writes'],
];
const flagsInLds = ['argmax_rows: release in LDS before data'];
/** Stores of the value that is there already: memory is as the app left it. */
const strayStores = ['compact_records: clears the last tag', 'gather_scatter: the value of an empty place'];
/** Argument memory that the app never wrote: nothing guarantees 0 there in the next launch. */
const unusedMemory: [title: string, says: RegExp][] = [
  [
    'last_block_sum: begins with what it finds far behind the partial sums',
    /Result: FAIL \(the result depends on 4 bytes at \w+ at offset 400,000 \(0x[0-9a-f]+; argument partials\) that the captured code neither reads nor writes: the app did not write them before this launch, or wrote 0/,
  ],
  [
    'last_block_sum: a ticket far behind the partial sums that ends as it began',
    /Result: FAIL \(the variant writes \d+ bytes at \w+ at offset 400,000 that the captured code does not/,
  ],
];
/** Edits whose options ask for derived inputs: without these only the captured input is judged. */
const capturedInputOnly = [
  'saxpy: n written out',
  'saxpy: a written out',
  'saxpy: NaN dropped',
  'to_half: n is odd',
  'histogram: bins overwritten',
  'move_particles: hits overwritten',
  'pack_rgba: green is in range',
  'box_filter: memoised by the first element',
  'saxpy: elements of the first launch remembered',
];
const anyInput = [
  'saxpy: NaN kept by a comparison',
  'saxpy: twice half of the factor',
  'to_half: odd or even n',
  'histogram: one block adds to the bins',
  'move_particles: hits written only where there are some',
  'pack_rgba: clamped the other way round',
  'ring_median: insertion in registers',
];
const right = [
  'host_sums: unsafe on coarse-grained memory',
  'saxpy: waits by the clock',
  'saxpy: adds nothing of what nobody wrote',
  'saxpy: waits for a load',
  'saxpy: waits for both loads',
  'gather_scatter: writes back what is there',
  'compact_ordered: reads behind the output',
  'compact_ordered: relies on what lies behind the output',
  'last_block_sum: reads four partial sums at once',
  'last_block_sum: begins with 0 far behind the partial sums',
  'last_block_sum: scratch far behind the partial sums, put back',
  'last_block_sum: a ticket of its own',
  'tree_sum: last six steps',
  'histogram: a table a wave',
  'compact_pairs: one atomic a wave',
  'scan_doubling: within waves by shuffles',
  'stencil2d: without a tile',
  'last_block_sum: a wave adds the partial sums',
  'scan_chained: waits by volatile loads',
  'argmax_rows: released and acquired in LDS',
  'argmax_rows: volatile flag in LDS',
  'argmax_rows: the last wave to arrive goes on',
  'compact_ordered: arrivals counted in LDS',
  'wave_sum: waits for LDS alone',
  'histogram: compare and swap',
  'histogram: under a lock',
];
/** HIP's heap is state that persists from launch to launch. */
const onTheHeap = ['saxpy: new and delete in each thread', 'saxpy: new and delete in each block'];

describe('planted defects', () => {
  let workspace: Workspace;
  let table: { kinds: string[]; edits: Edit[]; batches: Batch[] };
  const compiledBatches = new Map<Batch, Promise<string>>();
  const titles = [
    ...Object.values(chosen),
    ...publishedTooEarly,
    ...lostBetweenAtomics,
    ...flagsInLds,
    ...pastLds.map(([title]) => title),
    'differences: reads past the end elsewhere',
    ...strayStores,
    ...unusedMemory.map(([title]) => title),
    ...missingWaits,
    barrierByHand,
    ...knowsTheJudge,
    ...wrongLeftovers,
    ...keptStates.map(([title]) => title),
    ...capturedInputOnly,
    ...anyInput,
    ...right,
    ...onTheHeap,
  ];
  const kernelOf = (title: string): string => title.split(':')[0] ?? '';

  beforeAll(async () => {
    workspace = Workspace.create([]);
    const source = join(repository, 'bench', 'defects');
    const addApp = (there: Workspace): string => {
      cpSync(source, there.path('apps', 'planted'), { recursive: true, filter: (path) => !path.endsWith('/build') });
      return 'apps/planted';
    };
    const kernels = new Set([...titles.map(kernelOf), ...small.map(({ kernel }) => kernel)]);
    await addExtracted(workspace, source, addApp, ...kernels);
    const read = await run(process.execPath, [
      ...[...node, script, '--', edits],
      ...[workspace.path('kernels', 'planted'), ...titles],
    ]);
    expect([read.code, read.stderr]).toEqual([0, '']);
    table = JSON.parse(read.stdout) as typeof table;
  });
  afterAll(() => workspace.remove());

  const find = (set: Edit['set'], title: string): Edit => {
    const found = table.edits.filter((edit) => edit.set === set && edit.title === title);
    if (!found[0] || found.length > 1) throw new Error(`${found.length} of the ${set} edits are called ${title}`);
    return found[0];
  };
  const judged = ({ title, options }: Edit) =>
    workspace.kernloop(['validate', '--reproducer', `kernels/planted/${kernelOf(title)}`, ...options]);
  const compiled = async ({ title, text }: Edit) => {
    const reproducer = `kernels/planted/${kernelOf(title)}`;
    workspace.write(`${reproducer}/kernel_variant.hip`, text);
    await recompiled(workspace, reproducer);
  };
  const verdict = async (edit: Edit) => {
    await compiled(edit);
    return judged(edit);
  };
  /** Code object of the edits that are compiled with this one. */
  const compiledTogether = (title: string): Promise<string> => {
    const batch = table.batches.find(({ titles }) => titles.includes(title));
    if (!batch) throw new Error(`${title} is in no batch`);
    const known = compiledBatches.get(batch);
    if (known) return known;
    const file = workspace.path(`batch-${compiledBatches.size}.hsaco`);
    const [first = ''] = batch.titles;
    const made = compiled({ set: 'correct', kind: '', title: first, options: [], text: batch.text }).then(() => {
      copyFileSync(workspace.path('kernels', 'planted', kernelOf(first), 'build', 'variant.hsaco'), file);
      return file;
    });
    compiledBatches.set(batch, made);
    return made;
  };

  it('are of every kind', () => {
    expect(Object.keys(chosen).sort()).toEqual([...table.kinds].sort());
    for (const [kind, title] of Object.entries(chosen)) expect(find('defects', title).kind).toBe(kind);
  });

  it.each(Object.entries(chosen))('%s (%s) does not pass', async (_kind, title) => {
    const outcome = await verdict(find('defects', title));
    expect([[1, 3, 4].includes(outcome.code), outcome.text]).toEqual([true, expect.any(String)]);
  });

  it.each([...publishedTooEarly, ...lostBetweenAtomics])('%s does not pass', async (title) => {
    const outcome = await verdict(find('defects', title));
    expect([outcome.code, outcome.text]).toEqual([1, expect.stringMatching(/Result: FAIL/)]);
  });

  it.each(flagsInLds)('%s is a race', async (title) => {
    const outcome = await verdict(find('defects', title));
    expect([outcome.code, outcome.text]).toEqual([1, expect.stringMatching(/Result: FAIL \(a race .*LDS/)]);
  });

  it.each(pastLds)('%s does not pass: it %s past the end of LDS', async (title, does) => {
    const outcome = await verdict(find('defects', title));
    const says = new RegExp(`Result: FAIL \\(${does} past the end of LDS at .*which the captured code does not`);
    expect([outcome.code, outcome.text]).toEqual([1, expect.stringMatching(says)]);
  });

  it('a read past the end of LDS that the captured code makes, too, passes and is said beside the verdict', async () => {
    const outcome = await verdict(find('correct', 'differences: reads past the end elsewhere'));
    expect([outcome.code, outcome.text]).toEqual([
      0,
      expect.stringMatching(/Result: PASS \(.*; it reads past the end of LDS, as the captured code does/),
    ]);
  });

  it.each(strayStores)('%s does not pass', async (title) => {
    const outcome = await verdict(find('defects', title));
    expect([outcome.code, outcome.text]).toEqual([
      1,
      expect.stringMatching(
        /Result: FAIL \(.*the variant writes [\d,]+ bytes at \w+ at offset [\d,]+ that the captured code does not, with what lay there already/,
      ),
    ]);
  });

  it.each(unusedMemory)('%s does not pass', async (title, says) => {
    const outcome = await verdict(find('defects', title));
    expect([outcome.code, outcome.text]).toEqual([1, expect.stringMatching(says)]);
  });

  it('a floating-point atomic on fine-grained memory of the host does not pass', async () => {
    const outcome = await verdict(find('defects', 'host_sums: unsafe on fine-grained memory'));
    expect([outcome.code, outcome.text]).toEqual([
      1,
      expect.stringMatching(/Result: FAIL \(`global_atomic_add_f32 .*` at \w+ at offset [\d,]+: this GPU leaves out/),
    ]);
  });

  it.each(missingWaits)('%s ends with the instruction', async (title) => {
    const outcome = await verdict(find('defects', title));
    expect([outcome.code === 0, outcome.text]).toEqual([
      false,
      expect.stringMatching(
        /is a result of `global_load_dword .*before this instruction `s_waitcnt vmcnt\(0\)` is missing/,
      ),
    ]);
  });

  it('a barrier behind a store that nobody waited for fails, and the result names the missing wait', async () => {
    const outcome = await verdict(find('defects', barrierByHand));
    expect([outcome.code, outcome.text]).toEqual([
      1,
      expect.stringMatching(
        /ds_write_b32 [^]*Result: FAIL \(a race that the captured code does not have, at LDS at offset \d+: `s_waitcnt lgkmcnt\(0\)` is missing before a barrier\)/,
      ),
    ]);
  });

  it.each(knowsTheJudge)('%s does not pass', async (title) => {
    const outcome = await verdict(find('defects', title));
    expect([outcome.code, outcome.text]).toEqual([
      1,
      expect.stringMatching(/Result: FAIL \(.* on a machine in use.*; the captured code gives the same there/),
    ]);
  });

  it.each(wrongLeftovers)('%s does not pass', async (title) => {
    const outcome = await verdict(find('defects', title));
    expect([outcome.code, outcome.text]).toEqual([1, expect.stringMatching(/Result: FAIL/)]);
  });

  it.each(keptStates)('%s does not pass', async (title, result) => {
    const outcome = await verdict(find('defects', title));
    expect([outcome.code === 0, outcome.text]).toEqual([false, expect.stringMatching(result)]);
  });

  it('a result that is stashed for the next launch is told beside the verdict, and beside --compare', async () => {
    const reproducer = 'kernels/planted/saxpy';
    const source = workspace.read(`${reproducer}/pristine/kernel_variant.hip`);
    const text = source.replace(
      'if (i < n) y[i] = fmaf(a, x[i], y[i]);',
      'static __device__ float stash[1 << 16];\n  static __device__ bool is_there[1 << 16];\n  if (i >= n) return;\n  if (!is_there[i]) stash[i] = fmaf(a, x[i], y[i]);\n  is_there[i] = true;\n  y[i] = stash[i];',
    );
    const stashed = await verdict({ set: 'defects', kind: 'kept state', title: 'saxpy: stash', options: [], text });
    expect([stashed.code, stashed.text]).toEqual([
      0,
      expect.stringMatching(
        /Result: PASS \(.*the variant keeps [\d,]+ bytes of its own \(.*stash.*\) from launch to launch/,
      ),
    ]);
    const compared = await workspace.kernloop(['replay', '--reproducer', reproducer, '--compare', '--iterations', '5']);
    expect([compared.code, compared.text]).toEqual([
      0,
      expect.stringMatching(/from launch to launch.*: every launch here began with it as loaded/),
    ]);
    // Each launch does the work of one that finds nothing stashed.
    const ratio = /^\s*wave.instructions .*?([\d.]+)(?:×)?\s*$/m.exec(compared.text)?.[1];
    expect([Number(ratio) > 1, compared.text]).toEqual([true, expect.any(String)]);
  });

  it.each(capturedInputOnly)('%s passes, and fails with --inputs', async (title) => {
    const edit = find('defects', title);
    await compiled(edit);
    const captured = await judged({ ...edit, options: [] });
    expect([captured.code, captured.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
    const derived = await judged(edit);
    expect([derived.code, derived.text]).toEqual([
      1,
      expect.stringMatching(/Result: FAIL \(right for the captured input, wrong for derived input \d+ \(/),
    ]);
  });

  it.each(anyInput)('%s passes, with --inputs too', async (title) => {
    const edit = find('correct', title);
    await compiled(edit);
    const captured = await judged({ ...edit, options: [] });
    expect([captured.code, captured.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
    const derived = await judged(edit);
    expect([derived.code, derived.text]).toEqual([
      0,
      expect.stringMatching(/Result: PASS \(.*judged on the captured input and [1-9]\d* derived ones?/),
    ]);
  });

  it.each(right)('a correct edit passes: %s', async (title) => {
    const outcome = await verdict(find('correct', title));
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
  });

  it.each(onTheHeap)(
    'a correct edit passes where HIP launches it, and otherwise the error says --launch hip: %s',
    async (title) => {
      const edit = find('correct', title);
      const outcome = await verdict(edit);
      expect([outcome.code, outcome.text]).toEqual([
        0,
        expect.stringMatching(/Result: PASS \(.*NOT judged: what launches leave in the heap of new and malloc/),
      ]);
      const direct = await judged({ ...edit, options: [] });
      expect([direct.code, direct.text]).toEqual([
        4,
        expect.stringMatching(/if the kernel prints, allocates memory or asserts.*launch it with --launch hip/),
      ]);
    },
  );

  it.each(small.map((edit) => [`${edit.kernel}: ${edit.name}`, edit] as const))(
    'a correct edit gets what it deserves: %s',
    async (title, { kernel, options, deserves }) => {
      const reproducer = ['--reproducer', `kernels/planted/${kernel}`];
      const variant = ['--variant', await compiledTogether(title)];
      const outcome = await workspace.kernloop(['validate', ...reproducer, ...variant, ...options]);
      expect([outcome.code, outcome.text]).toEqual(
        deserves === 'pass'
          ? [0, expect.stringMatching(/Result: PASS/)]
          : [3, expect.stringMatching(/Result: VACUOUS \(it keeps state \(.*\): after 8 launches in a row/)],
      );
    },
  );
});
