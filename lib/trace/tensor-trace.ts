/** tensor.trace: tensors passed to Python functions, one per line, with two spaces between the parts. */
export interface TensorTrace {
  readonly calls: readonly TensorCall[];
  /** Lines of unknown form. */
  readonly unknown: readonly { readonly line: number; readonly text: string }[];
}

interface TensorCall {
  readonly timeNs: bigint;
  readonly shape: readonly number[];
  readonly bytes: number;
  readonly address: bigint;
  readonly variable: string;
  readonly function: string;
  readonly place: string;
}

const form = /^\[call\] {2}(\d+) {2}torch\.Size\(\[([\d, ]*)\]\) {2}(\d+) {2}(\d+) {2}(\S+) {2}(\S+) {2}(.+)$/;

export function parseTensorTrace(text: string): TensorTrace {
  const calls: TensorCall[] = [];
  const unknown: { line: number; text: string }[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue;
    const found = form.exec(line);
    if (!found) {
      unknown.push({ line: index + 1, text: line });
      continue;
    }
    const [, time = '', shape = '', bytes = '', address = '', variable = '', name = '', place = ''] = found;
    calls.push({
      timeNs: BigInt(time),
      shape: shape.trim() === '' ? [] : shape.split(',').map(Number),
      bytes: Number(bytes),
      address: BigInt(address),
      variable,
      function: name,
      place,
    });
  }
  return { calls, unknown };
}
