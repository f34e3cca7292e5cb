import { placeWords, positionWords } from '../advice/advice-text';
import type { Advice, Explanation, Place } from '../advice/advice-json';
import { absent, formatNumber, moment } from '../page/parts';
import { capitalized, coded, markup, type Html } from '../page/html';
import { keptPaths } from '../reproducer/kept-results';
import type { CommandOn } from './commands';
import { readKept } from './kept';
import { lacking, type Body } from './left';
import { textOf } from './source-text';
import { stale } from './timing';

/** Advice of the last `replay --explain`. */
export function explainedBody(root: string, current: string | null, command: CommandOn): Body {
  const again = command('replay', '--explain');
  const left = readKept(keptPaths(root).explained, 'What limits it', again);
  if (left.value === null) return lacking(left);
  const { at, codeObject, result } = left.value;
  if (!result.explanation) return absent('The last replay explained nothing; this does:', again);
  return markup`<p class="muted">${capitalized(result.code)}, replayed ${moment(at)}. Counts and facts of the code object, no times.</p>
    ${stale(codeObject, current)} ${explanationOf(root, result.explanation)}`;
}

function explanationOf(root: string, { advice, position, not_told: notTold }: Explanation): Html {
  const list =
    advice.length === 0
      ? markup`<p>These figures prove no limit.</p>`
      : markup`<ol>
          ${advice.map((one) => adviceOf(root, one))}
        </ol>`;
  return markup`${list}
  ${position ? markup`<p>Position: ${positionWords(position)}.</p>` : ''}
  ${notTold.map((line) => absent(`Not told: ${line}`))}`;
}

/** Number of places shown of an advice. */
const shownPlaces = 10;

function adviceOf(root: string, { rule, says, next, places }: Advice): Html {
  const shown = places.slice(0, shownPlaces);
  const more = places.length - shown.length;
  return markup`<li>
    <p><strong>${rule}</strong>: ${coded(says)}.</p>
    ${
      shown.length > 0
        ? markup`<ul>
            ${shown.map((place) => markup`<li><code>${placeWords(inReproducer(root, place))}</code></li>`)}
          </ul>`
        : ''
    }
    ${more > 0 ? markup`<p class="muted">${formatNumber(more)} more places are not on this page.</p>` : ''}
    <p>Try: ${coded(next)}.</p>
  </li>`;
}

/** The page is sent to others: it shows no text of files outside of the reproducer. */
const inReproducer = (root: string, place: Place): Place =>
  place.file !== null && textOf(root, place.file) === null ? { ...place, text: null } : place;
