/**
 * The only script of a page: sorts and filters tables, and opens folded parts for print. The page is readable without
 * it.
 */
export const script = `'use strict';
for (const table of document.querySelectorAll('table.data')) {
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const key = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.sort === undefined ? cell.textContent : cell.dataset.sort;
  };
  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const down = head.getAttribute('aria-sort') === 'ascending';
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const order = (a, b) => {
        const [x, y] = [key(a, column), key(b, column)];
        const [m, n] = [Number(x), Number(y)];
        const numbers = x.trim() !== '' && y.trim() !== '' && !Number.isNaN(m) && !Number.isNaN(n);
        return numbers ? m - n : x.localeCompare(y, 'en', { numeric: true });
      };
      body.append(...rows.slice().sort((a, b) => (down ? order(b, a) : order(a, b))));
    });
  });
  if (rows.length < 4) continue;
  const label = document.createElement('label');
  label.className = 'filter';
  label.append('Filter: ');
  const input = document.createElement('input');
  input.type = 'search';
  const count = document.createElement('span');
  count.setAttribute('role', 'status');
  label.append(input);
  const holder = table.closest('.wide') || table;
  holder.before(label);
  label.after(count);
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) shown++;
    }
    count.textContent = words.length === 0 ? '' : shown + ' of ' + rows.length + ' rows';
  });
}
addEventListener('beforeprint', () => {
  for (const one of document.querySelectorAll('details')) one.open = true;
});
`;
