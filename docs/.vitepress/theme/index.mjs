// The fonts of the reader's system: nothing is fetched, and nothing more is shipped.
export { default } from 'vitepress/theme-without-fonts';
