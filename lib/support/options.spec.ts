import { z } from 'zod';
import { optionInfos, parseText } from './options';

describe('the text of an option that takes several', () => {
  const [info] = optionInfos(z.object({ set: z.array(z.string()) }));
  const parse = (text: string): unknown => info && parseText(info, text, '--set');

  it('is parted by commas', () => {
    expect(parse('a, b,c')).toEqual(['a', 'b', 'c']);
  });

  it('keeps the commas of items in a list of JSON', () => {
    expect(parse('["BLOCK=64,128", "min(a, b) > 1"]')).toEqual(['BLOCK=64,128', 'min(a, b) > 1']);
  });

  it.each(['["a", 1]', '["a"', '[ab],[c]', '{"a":"b"}'])('takes %s, which is none, as text', (text) => {
    expect(parse(text)).toEqual(text.split(',').map((part) => part.trim()));
  });
});
