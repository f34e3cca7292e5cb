import Parser from 'tree-sitter';
import Cuda from 'tree-sitter-cuda';

let parser: Parser | undefined;

/** Parses HIP or CUDA source. The grammar recovers from what it cannot read, so a file always gives a tree. */
export function parseCuda(text: string): Parser.Tree {
  parser ??= createParser();
  // tree-sitter refuses a string that is longer than its buffer, which is 32 KiB unless told.
  return parser.parse(text, null, { bufferSize: Math.max(32 * 1024, text.length * 2 + 2) });
}

function createParser(): Parser {
  const created = new Parser();
  created.setLanguage(Cuda);
  return created;
}
