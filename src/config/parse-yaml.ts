import type { Document, LineCounter } from 'yaml';
import { toErrorText } from './error-text.ts';
import type { Problem } from './parse-options.ts';
import { quote } from './quote.ts';
import { TroupeError, type TroupeErrorCode } from './troupe-error.ts';

type Yaml = typeof import('yaml');

/** Maximum repetitions of an anchor. */
const MAX_ALIASES = 100;

/** Maximum number of problems reported: one wrong bracket can cause a hundred. */
const MAX_PROBLEMS = 10;

/** The result of checking the content of a file. */
export type Checked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly Problem[] };

interface Place {
  readonly file: string;
  readonly lines: LineCounter;
  readonly code: TroupeErrorCode;
}

/**
 * Parses a file written by a person and checks it.
 *
 * @throws TroupeError `code`: each problem on its own line, with file, line and column.
 */
export async function parseYaml<Value>(
  text: string,
  reading: { file: string; code: TroupeErrorCode; check: (value: unknown) => Checked<Value> },
): Promise<Value> {
  const yaml = await import('yaml');
  const place = { file: reading.file, code: reading.code, lines: new yaml.LineCounter() };
  const document = readDocument(text, { yaml, place });
  const checked = reading.check(toValue(document, place));
  if (checked.ok) return checked.value;
  const problems = checked.problems.map((problem) => ({
    ...problem,
    offset: findOffset(problem.path, { document, yaml }),
  }));
  throw refuse(problems, place);
}

function readDocument(text: string, { yaml, place }: { yaml: Yaml; place: Place }): Document.Parsed {
  let document: Document.Parsed;
  try {
    document = yaml.parseDocument(text, {
      lineCounter: place.lines,
      prettyErrors: false,
      stringKeys: true,
      logLevel: 'error',
    });
  } catch (error) {
    // Nested too deeply for the parser.
    throw refuse([{ offset: 0, text: `cannot be read as YAML: ${toErrorText(error)}.` }], place);
  }
  const complaints = [...document.errors, ...document.warnings];
  if (complaints.length === 0) return document;
  const problems = complaints.map(({ pos, code, message }) => ({
    offset: pos[0],
    // The parser does not name the duplicate key.
    text:
      code === 'DUPLICATE_KEY'
        ? `${quote(/^[^:\n]*/.exec(text.slice(pos[0]))?.[0] ?? '')} occurs twice; remove one.`
        : `not valid YAML: ${message.replace(/\.?$/, '.')}`,
  }));
  throw refuse(problems, place);
}

function toValue(document: Document.Parsed, place: Place): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    throw refuse([{ offset: 0, text: `cannot be read: ${toErrorText(error)}.` }], place);
  }
}

/** Returns the place of the value at a path; an unknown key, or one without a value, is located by itself. */
function findOffset(
  path: readonly PropertyKey[],
  { document, yaml }: { document: Document.Parsed; yaml: Yaml },
): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const [index, step] of path.entries()) {
    if (yaml.isAlias(node)) node = node.resolve(document);
    const isLast = index === path.length - 1;
    if (yaml.isMap(node)) {
      const pair = node.items.find(({ key }) => yaml.isScalar(key) && String(key.value) === String(step));
      const { key, value } = pair ?? {};
      const target = isLast && yaml.isCollection(value) ? key : (value ?? key);
      if (yaml.isNode(target)) offset = target.range?.[0] ?? offset;
      node = value;
    } else if (yaml.isSeq(node)) {
      node = node.items[Number(step)];
      if (yaml.isNode(node)) offset = node.range?.[0] ?? offset;
    }
  }
  return offset;
}

function refuse(
  problems: readonly { offset: number; text: string }[],
  { file, lines, code }: Place,
): TroupeError {
  const inOrder = problems.toSorted((a, b) => a.offset - b.offset).slice(0, MAX_PROBLEMS);
  const sentences = inOrder.map(({ offset, text }) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${Math.max(1, line)}:${Math.max(1, col)}: ${text}`;
  });
  return new TroupeError({ code, message: sentences.join('\n') });
}
