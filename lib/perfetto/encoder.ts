/**
 * Protobuf as bytes, front to back, in a buffer that grows. Numbers are unsigned: up to 2^53 as doubles, any as a
 * bigint.
 */
export class Encoder {
  private bytes = Buffer.allocUnsafe(1 << 12);
  length = 0;

  reset(): void {
    this.length = 0;
  }

  get written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  varint(value: number | bigint): void {
    this.room(10);
    let rest: number;
    if (typeof value === 'bigint') {
      let wide = BigInt.asUintN(64, value);
      while (wide > 0x7fffffffn) {
        this.bytes[this.length++] = Number(wide & 0x7fn) | 0x80;
        wide >>= 7n;
      }
      rest = Number(wide);
    } else rest = value;
    while (rest > 0x7fffffff) {
      this.bytes[this.length++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    while (rest > 0x7f) {
      this.bytes[this.length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.bytes[this.length++] = rest;
  }

  number(field: number, value: number | bigint): void {
    this.varint(field * 8);
    this.varint(value);
  }

  fixed64(field: number, value: number | bigint): void {
    this.varint(field * 8 + 1);
    this.room(8);
    this.bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), this.length);
    this.length += 8;
  }

  text(field: number, value: string): void {
    const size = Buffer.byteLength(value);
    this.varint(field * 8 + 2);
    this.varint(size);
    this.room(size);
    this.length += this.bytes.write(value, this.length, 'utf8');
  }

  message(field: number, content: Encoder): void {
    this.varint(field * 8 + 2);
    this.varint(content.length);
    this.room(content.length);
    this.length += content.bytes.copy(this.bytes, this.length, 0, content.length);
  }

  raw(content: Uint8Array): void {
    this.room(content.length);
    this.bytes.set(content, this.length);
    this.length += content.length;
  }

  private room(bytes: number): void {
    if (this.length + bytes <= this.bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * this.bytes.length, this.length + bytes));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
  }
}
