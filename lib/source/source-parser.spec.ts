import { writeFileSync } from 'node:fs';
import { failure } from '../testing/failure';
import { TestWorkspace } from '../testing/workspace';
import { grammarFile, openGrammar, openSourceParser } from './source-parser';

describe('the source parser', () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  it('is opened once', async () => {
    expect(await openSourceParser()).toBe(await openSourceParser());
  });

  it('gives a tree for any text, with characters beyond ASCII at their place', async () => {
    const parser = await openSourceParser();
    const text = '// größer als 🚀\n__global__ void größe() { §§ }\n';
    expect(parser.parse(text, (root) => [root.type, root.hasError, root.text])).toEqual([
      'translation_unit',
      true,
      text,
    ]);
  });

  it("takes the package's own grammar, and a checkout's from where npm put it", () => {
    expect(grammarFile()).toMatch(/node_modules\/tree-sitter-cuda\/tree-sitter-cuda\.wasm$/);
    const shipped = workspace.write('package/grammars/tree-sitter-cuda.wasm', '');
    expect(grammarFile(workspace.path('package'))).toBe(shipped);
    expect(grammarFile('/')).toBeUndefined();
  });

  it.each([
    ['is not there', undefined],
    ['is no WebAssembly', 'broken'],
    ['is cut off', '\0asm\x01\0\0\0\x01'],
  ])('says what to do where a grammar %s', async (_, content) => {
    const file = workspace.path('grammar.wasm');
    if (content !== undefined) writeFileSync(file, content);
    const error = await failure(openGrammar(content === undefined ? undefined : file));
    expect(error).toMatchObject({ code: 'ENVIRONMENT_PARSER_MISSING', exitCode: 5 });
    expect(error.hint).toContain('npm install');
  });
});
