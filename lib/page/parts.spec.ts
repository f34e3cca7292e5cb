import { absent, paragraphs, tableOf } from './parts';
import { breakable, commandCode } from './html';

const text = (html: { text: string }): string => html.text.replaceAll(/\s+/g, ' ');

describe('parts of a page', () => {
  it('a table has no column without content, and keeps one in which a single row has some', () => {
    const table = text(
      tableOf(
        't',
        ['a', 'none', 'some'],
        [
          ['x', '', ''],
          ['y', '', 0],
        ],
      ),
    );
    expect([...table.matchAll(/<th[^>]*>(\w+)/g)].map(([, head]) => head)).toEqual(['a', 'some']);
    expect([...table.matchAll(/data-head="(\w+)"/g)].map(([, head]) => head)).toEqual(['a', 'some', 'a', 'some']);
    expect(text(tableOf('t', ['a', 'b'], []))).toMatch(/<th[^>]*>a<[^]*<th[^>]*>b</);
  });

  it('a screen breaks long text, and no short one', () => {
    const table = text(tableOf('t', ['a', 'b'], [['build/variant.hsaco', 'word '.repeat(20)]]));
    expect(table).toMatch(/<td class="s"[^>]*>build\/variant\.hsaco</);
    expect(table).toMatch(/<td data-head="b">word /);
  });

  it('shows code between backticks as code', () => {
    expect(absent('run `kernloop <verb>` first').text).toContain('run <code>kernloop &lt;verb&gt;</code> first');
    expect(paragraphs(['no code']).text).toBe('<p>no code</p>');
  });

  it('breaks names and commands only between their parts, and changes no letter of them', () => {
    expect(breakable('void a::f<b::c, 4>(int)').text).toBe('void a::<wbr>f&lt;<wbr>b::<wbr>c,<wbr> 4&gt;(<wbr>int)');
    const command = commandCode('kernloop replay a/b-c --hot-spots --iterations 3').text;
    expect(command).toContain('a/b-c <span class="option">--hot-spots</span> ');
    expect(command.replaceAll(/<[^>]*>/g, '')).toBe('kernloop replay a/b-c --hot-spots --iterations 3');
  });
});
