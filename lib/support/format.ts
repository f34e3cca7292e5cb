export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** Formats as `1 launch` or `2 launches`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** Formats as `1,234,567` without `Intl`, whose first use takes longer than a process needs to read its settings. */
export function formatCount(count: number | bigint): string {
  const digits = String(count);
  return /^-?\d+$/.test(digits) ? digits.replace(/\B(?=(?:\d{3})+$)/g, ',') : count.toLocaleString('en-US');
}
