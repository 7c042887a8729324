/** Parts of a tool's answer that a person reads first. */
export interface AnswerText {
  readonly isRefusal: boolean;
  /** Sentence of the tool; empty where it has none. */
  readonly message: string;
  /** Output of a process, or whatever else the tool returned as text; empty where there is none. */
  readonly output: string;
}

/** Returns the arguments of a call as a person would write them: the command first, then the others. */
export function toCallText(argumentsText: string): string {
  const values = parseRecord(argumentsText);
  if (values === null) return argumentsText;
  const { command, ...others } = values;
  const words = Object.entries(others).map(([name, value]) => `${name} ${toText(value)}`);
  return [...(command === undefined ? [] : [toText(command)]), ...words].join(' · ');
}

/** Returns the readable parts of an answer `{ ok, data }` or `{ ok, error }`; `null` for other text. */
export function toAnswerText(text: string): AnswerText | null {
  const answer = parseRecord(text);
  if (answer === null || typeof answer['ok'] !== 'boolean') return null;
  if (!answer['ok']) return { isRefusal: true, message: toText(answer['error']), output: '' };
  const { data } = answer;
  if (typeof data === 'string') return { isRefusal: false, message: '', output: data };
  if (!isRecord(data)) return null;
  const { message, output, exit_code: code, signal } = data;
  const end =
    typeof code === 'number' ? `Exit code ${code}.` : typeof signal === 'string' ? `${signal}.` : '';
  const said = [end, typeof message === 'string' ? message : ''].filter((part) => part !== '').join(' ');
  const shown = typeof output === 'string' ? output : '';
  return said === '' && shown === '' ? null : { isRefusal: false, message: said, output: shown };
}

function toText(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseRecord(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
