/** An array with the names that safetensors has for it and its element type. */
export interface Tensor {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: Buffer;
}

/** Content of a safetensors file: length of the header, header in JSON, and the arrays without gaps. */
export function safetensors(tensors: readonly Tensor[]): Buffer {
  let end = 0;
  const entries = tensors.map(({ name, dtype, shape, data }) => {
    const begin = end;
    end += data.length;
    return [name, { dtype, shape, data_offsets: [begin, end] }];
  });
  const header = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
  // Blanks align the arrays to 8 bytes, which the format wants.
  const padded = Buffer.concat([header, Buffer.alloc((8 - (header.length % 8)) % 8, ' ')]);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(padded.length));
  return Buffer.concat([length, padded, ...tensors.map(({ data }) => data)]);
}
