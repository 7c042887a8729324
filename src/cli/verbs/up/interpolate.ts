import type { Problem } from '../../../config/parse-options.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface Interpolated {
  readonly value: unknown;
  readonly problems: readonly Problem[];
}

/** Matches a variable, `$${` for a literal `${`, or an invalid `${`. */
const REFERENCE = /\$\$\{|\$\{([A-Za-z_]\w*)(?:(:?-)([^{}]*))?\}|\$\{/g;

/**
 * Replaces `${NAME}`, `${NAME:-default}` (unset or empty) and `${NAME-default}` (unset) in the text values of a stack file; `$${` is a
 * plain `${`. A value that is one variable becomes a number or a boolean if it looks like one. A command that is text is left alone: its
 * shell replaces variables, its own and those of `env` included.
 */
export function interpolate(value: unknown, env: Environment): Interpolated {
  const problems: Problem[] = [];
  const visit = (part: unknown, path: readonly (string | number)[]): unknown => {
    if (typeof part === 'string') return isShellText(path) ? part : replaceIn(part, path);
    if (Array.isArray(part)) return part.map((each, index) => visit(each, [...path, index]));
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, each]) => [key, visit(each, [...path, key])]));
  };
  const replaceIn = (text: string, path: readonly (string | number)[]): unknown => {
    const replaced = text.replace(REFERENCE, (whole, name?: string, operator?: string, fallback = '') => {
      if (whole === '$${') return '${';
      if (name === undefined) {
        problems.push({ path: [...path], text: describeBroken(path) });
        return whole;
      }
      const given = env[name];
      const isMissing = given === undefined || (operator === ':-' && given === '');
      if (isMissing && operator === undefined)
        problems.push({ path: [...path], text: describeUnset(name, path) });
      return isMissing ? fallback : given;
    });
    return isOneVariable(text) ? toScalar(replaced) : replaced;
  };
  return { value: visit(value, []), problems };
}

/** `processes.web: text`, or `processes.web.command: text`. */
function isShellText(path: readonly (string | number)[]): boolean {
  const isProcess = path[0] === 'processes' && (path.length === 2 || path.length === 3);
  return isProcess && (path.length === 2 || path[2] === 'command');
}

function isOneVariable(text: string): boolean {
  return /^\$\{[^{}]*\}$/.test(text);
}

/** Converts text to a boolean or number if that prints as the same text, so that `007` stays text. */
function toScalar(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) && String(Number(text)) === text ? Number(text) : text;
}

function describeUnset(name: string, path: readonly (string | number)[]): string {
  return `"${path.join('.')}" uses \${${name}}, and the variable is not set. Set it, or give a default: \${${name}:-…}.`;
}

function describeBroken(path: readonly (string | number)[]): string {
  return `"${path.join('.')}" has a "\${" that begins no variable; expected \${NAME} or \${NAME:-default}. For a plain "\${" write "$\${".`;
}
