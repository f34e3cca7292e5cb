import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { elementTypes } from './kernel-json';
import { bytesOf } from './signature';

const native = readFileSync(join(__dirname, '../../native/verdict/values/element_type.cpp'), 'utf8');
const sizes = new Map(
  [...native.matchAll(/\{"(\w+)", (\d), (?:true|false)\}/g)].map(([, name = '', size]) => [name, Number(size)]),
);

describe('the size of an element', () => {
  it.each(elementTypes)('of %s is that by which the native programs compare', (type) => {
    expect(bytesOf(type)).toBe(type === 'bool' ? sizes.get('u8') : sizes.get(type));
  });
});
