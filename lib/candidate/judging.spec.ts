import { openReproducer } from '../reproducer/reproducer';
import { TestWorkspace, writeReproducer } from '../testing/workspace';
import { validateOptionsSchema } from '../validate/options';
import { judgingOptions } from './judging';
import { tuneOptionsSchema } from '../tune/options';

describe('how a candidate is judged', () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const judged = (validate: object, given: object = {}) => {
    const folder = writeReproducer(workspace, { options: { validate } });
    const options = tuneOptionsSchema.parse({ reproducer: folder, ...given });
    return validateOptionsSchema.parse(judgingOptions(openReproducer(folder), options));
  };

  it('is as kernel.json has validate, also where it says what memory the app keeps at 0', () => {
    expect(judged({ atol: 0.5, inputs: 4, mayReadUntouched: true })).toMatchObject({
      ...{ atol: 0.5, inputs: 4, mayReadUntouched: true },
    });
    expect(judged({})).toMatchObject({ inputs: 0, mayReadUntouched: false });
  });

  it('takes the options of tune ahead of those of kernel.json', () => {
    expect(judged({ atol: 0.5, inputs: 4 }, { inputs: 2 })).toMatchObject({ atol: 0.5, inputs: 2 });
  });
});
