// The cheat that a fixed seed of derived inputs would allow: a table of the answers of `extremes` for the captured input and for each
// one that `validate --inputs 4 --inputs-seed 1` derives. Its author has the reproducer, and asks validate: a variant that is
// wrong for derived inputs alone is told what would be right, and tells by its own wrong results which input it was given.
//   node bench/cheats/known-inputs.mjs REPRODUCER    prints the source; kernel_variant.hip is as before then
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BODY } from '../defects/edit.mjs';
import { edited } from '../defects/edits.mjs';
import { kernloop, kernloopJson, must } from '../gpu/host.mjs';

/** Derived inputs that a judge uses; numbers of those that are dropped are passed over, so that twice as many are tried. */
const inputs = 4;
const [lowest, highest] = [298, 999978];

const bodyOf = (statements) => `\n  if (blockIdx.x != 0 || threadIdx.x != 0) return;\n${statements}\n`;
const select = (rows, other) =>
  bodyOf(
    [
      ...rows.map(
        ({ n, first, low, high }) =>
          `  if (n == ${n} && x[0] == ${first}) {\n    *lowest = ${low};\n    *highest = ${high};\n    return;\n  }`,
      ),
      other,
    ].join('\n'),
  );

/** Answers by n and the first element. */
export function tableOfKnownInputs(reproducer) {
  const file = join(reproducer, 'kernel_variant.hip');
  const text = readFileSync(file, 'utf8');
  const withBody = (body) =>
    edited(text, { kernel: 'extremes', name: 'a table of known inputs', replace: [[BODY, body]] });
  const validate = (...words) =>
    kernloopJson(['validate', '--reproducer', reproducer, '--no-adverse', ...words]).result;
  const compile = (body) => {
    writeFileSync(file, withBody(body));
    must(kernloop(['recompile', '--reproducer', reproducer]), 'recompile');
  };
  /** The first wrong element of each of the two results: [what is right, what the variant wrote]. */
  const pairsOf = ({ regions }) => {
    const told = regions.flatMap(({ elements }) => elements.flatMap(({ first_outside }) => first_outside));
    return told.map(({ expected, actual }) => [expected, actual]);
  };
  try {
    compile(bodyOf('  *lowest = x[0];\n  *highest = n;'));
    const [[, first], [, n]] = pairsOf(validate());
    const captured = { n, first, low: lowest, high: highest };
    compile(select([captured], '  *lowest = x[0];\n  *highest = n;'));
    const known = Array.from({ length: 2 * inputs }, (_, index) =>
      validate('--inputs', '1', '--inputs-seed', '1', '--inputs-only', String(index + 1)),
    )
      .filter(({ verdict }) => verdict === 'fail')
      .map(pairsOf)
      .map(([[low, first], [high, n]]) => ({ n, first, low, high }));
    return withBody(select([captured, ...known], ''));
  } finally {
    writeFileSync(file, text);
    rmSync(join(reproducer, 'report.json'), { force: true });
  }
}

if (process.argv[1]?.endsWith('known-inputs.mjs')) console.log(tableOfKnownInputs(process.argv[2]));
