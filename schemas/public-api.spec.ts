import { publicApi } from './public-api';

const executor = JSON.stringify({
  properties: { app: { description: 'Folder.', type: 'string' }, seed: { type: 'integer' } },
  required: ['app'],
});

const results = `
class ReplayResult(StageResult):
    """What a replay found.

    verdict: text of a docstring is no field.
    """

    verdict: Literal["ran", "fault"]
    """How it ended."""
    exit_code: int = field(metadata={"json": "exitCode"})
StoreResult = Union[StoreList, StoreClean]
`;

const stages = `
class Stages:
    def replay(
        self,
        reproducer: Path | None = None,
        *,
        seed: int | None = None,
    ) -> results.ReplayResult:
        """Run it.

        seed: Where it starts,
        """
`;

describe('the snapshot of the public API', () => {
  it('has each option, class, field and parameter in a line, sorted, without descriptions', () => {
    const files = new Map([
      ['python/src/kernloop/client/stages.py', stages],
      ['python/src/kernloop/client/results.py', results],
      ['executors/replay/schema.json', executor],
      ['schemas/output/replay.schema.json', '{}'],
    ]);
    expect(publicApi(files).split('\n')).toEqual([
      'executor replay',
      'executor replay app: required {"type":"string"}',
      'executor replay seed: {"type":"integer"}',
      'python class ReplayResult exit_code: int = field(metadata={"json": "exitCode"})',
      'python class ReplayResult verdict: Literal["ran", "fault"]',
      'python class ReplayResult(StageResult)',
      'python class Stages',
      'python class StoreResult = Union[StoreList, StoreClean]',
      'python method replay -> results.ReplayResult',
      'python method replay reproducer: Path | None = None, by position',
      'python method replay seed: int | None = None',
      '',
    ]);
  });
});
