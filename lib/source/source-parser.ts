import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from 'web-tree-sitter';
import { KernloopError, messageOf } from '../support/error';
import { packageRoot } from '../support/version';

/** Parser of one language. */
export interface SourceParser {
  /** Returns the result of `read`, which must not keep the tree. Any text has a tree: the grammar recovers. */
  parse<T>(text: string, read: (root: Node) => T): T;
}

/** HIP has no grammar of its own and is parsed as CUDA. */
type GrammarName = 'cuda' | 'python';

const opened = new Map<GrammarName, Promise<SourceParser>>();

/**
 * Loaded only to search source, so a failure to load stops only that search. Grammar and parser are WebAssembly:
 * neither a compiler nor a binary for this Node is needed.
 */
export function openSourceParser(name: GrammarName = 'cuda'): Promise<SourceParser> {
  const parser = opened.get(name) ?? openGrammar(grammarFile(packageRoot, name), name);
  opened.set(name, parser);
  return parser;
}

/** Opens the grammar at the given path. */
export async function openGrammar(grammarPath: string | undefined, name: GrammarName = 'cuda'): Promise<SourceParser> {
  try {
    if (grammarPath === undefined) throw new Error(`tree-sitter-${name}.wasm not found`);
    // require, not import(): the bundler finds modules that get a file of their own by their require calls
    // (tools/packages/bundled.mjs).
    const { Language, Parser } = require('web-tree-sitter') as typeof import('web-tree-sitter');
    await Parser.init();
    const parser = new Parser().setLanguage(await Language.load(readFileSync(grammarPath)));
    return {
      parse(text, read) {
        const tree = parser.parse(text);
        if (!tree) throw new Error('the parser gave no tree');
        try {
          return read(tree.rootNode);
        } finally {
          tree.delete();
        }
      },
    };
  } catch (error) {
    throw new KernloopError(
      'ENVIRONMENT_PARSER_MISSING',
      `the parser that finds kernels in source files cannot be loaded: ${messageOf(error)}`,
      'install kernloop once more (`npm install --force kernloop`; in a checkout `npm install`); other stages work without',
    );
  }
}

/** Grammar beside the compiled sources in a package, or from its npm package in a checkout. */
export function grammarFile(root: string = packageRoot, name: GrammarName = 'cuda'): string | undefined {
  const grammar = `tree-sitter-${name}.wasm`;
  const shipped = join(root, 'grammars', grammar);
  if (existsSync(shipped)) return shipped;
  try {
    return require.resolve(`tree-sitter-${name}/${grammar}`, { paths: [root] });
  } catch {
    return undefined;
  }
}
