/** What providers allow in the name of a tool, and how long it may be. */
const MAX_NAME_LENGTH = 64;

/**
 * The arguments of a call as an object, which is what providers take back. What a model wrote instead of one is kept inside,
 * so that it sees its mistake.
 */
export function toCallInput(argumentsText: string): Record<string, unknown> {
  return parseObject(argumentsText) ?? { invalid_arguments: argumentsText };
}

/** The same as text: the model's own where it is right, byte by byte, so that prompt caches stay valid. */
export function toCallInputText(argumentsText: string): string {
  if (argumentsText.trim() === '') return '{}';
  return parseObject(argumentsText) === null
    ? JSON.stringify({ invalid_arguments: argumentsText })
    : argumentsText;
}

/** A name that a model made up may have characters for which a provider refuses the whole transcript. */
export function toToolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_NAME_LENGTH) || '_';
}

function parseObject(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
