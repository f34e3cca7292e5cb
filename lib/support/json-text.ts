import { basename } from 'node:path';
import { stripComments } from 'jsonc-parser';
import { kernloopFile } from './project-file-names';

/** Value of the text of a JSON file. kernloop.json, which people write, may have comments. */
export function valueOfJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (basename(path) !== kernloopFile) throw error;
    // Blanks in place of comments keep the positions in the message.
    return JSON.parse(stripComments(text, ' '));
  }
}
