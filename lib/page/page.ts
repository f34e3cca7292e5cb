import { createHash } from 'node:crypto';
import { breakable, markup, Html, shortened } from './html';
import { script } from './script';
import { style } from './style';

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly body: Html;
}

export interface Page {
  readonly title: string;
  /** The answer, shown directly below the title. */
  readonly lead: Html;
  readonly sections: readonly Section[];
}

/** Mark in every page, also in those of earlier releases. */
export const pageMark = '<a class="skip" href="#main">To the content</a>';

/**
 * A self-contained page in one file. Its policy allows no loading, and no script but the one that its digest names, so
 * that even content that got in by a mistake of ours does nothing.
 */
export function pageText({ title, lead, sections }: Page): string {
  const policy = [
    "default-src 'none'",
    `style-src '${digest(style)}'`,
    `script-src '${digest(script)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const name = shortened(title);
  // The digest covers the exact text between the tags, to the last space.
  const body = markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${new Html(policy)}" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${name}</title>
        ${new Html(`<style>${style}</style>`)}
      </head>
      <body>
        ${new Html(pageMark)}
        <header>
          <h1>${breakable(name)}</h1>
          ${lead}
        </header>
        <nav aria-label="Sections">
          <ul>
            ${sections.map((one) => markup`<li><a href="#${one.id}">${one.title}</a></li>`)}
          </ul>
        </nav>
        <main id="main" tabindex="-1">
          ${sections.map(
            ({ id, title: heading, body: content }) =>
              markup`<section aria-labelledby="${id}">
                <h2 id="${id}">${heading}</h2>
                ${content}
              </section> `,
          )}
        </main>
        <footer>Made by Kernloop. Nothing is loaded from anywhere.</footer>
        ${new Html(`<script>${script}</script>`)}
      </body>
    </html> `;
  return body.text;
}

const digest = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;
