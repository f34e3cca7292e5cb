import { fakeDeps } from '../../testing/fake-deps';
import { fakeReplay, flag, passed } from '../../testing/fake-programs';
import type { reproducerForEachTest } from '../../testing/workspace';
import { validateOptionsSchema } from '../options';
import { validate } from '../validate';

/** Judges with these events in the usual replays of each code, or in the adverse ones. All replays pass. */
export async function judgedEvents(
  { workspace, reproducer }: ReturnType<typeof reproducerForEachTest>,
  variant: readonly object[],
  captured: readonly object[] = [],
  isAdverse = false,
): Promise<{ report: Awaited<ReturnType<typeof validate>>; line: string }> {
  const fake = fakeDeps(
    {
      'kernloop-replay': fakeReplay((args) => {
        const ran = flag(args, '--adverse') === undefined ? [] : [{ event: 'adverse', wave_instructions: 1000 }];
        if (!args.includes('--code-object')) return [...captured, ...ran, passed];
        return [...(ran.length > 0 === isAdverse ? variant : []), ...ran, passed];
      }),
    },
    workspace.native,
  );
  const report = await validate(validateOptionsSchema.parse({ reproducer, adverse: isAdverse }), fake);
  return { report, line: fake.said.result.at(-1) ?? '' };
}
