import { toErrorText } from '../config/error-text.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { fromLayers, toSettings } from './create-policy.ts';
import type { Policy } from './policy.ts';

/** Serializes a policy for the environment of another process: JSON, one entry per layer. */
export function toPolicyText({ layers }: Pick<Policy, 'layers'>): string {
  return JSON.stringify(layers);
}

/**
 * Parses the text of `toPolicyText`.
 *
 * @throws TroupeError `invalid-option` for anything else: an unreadable restriction must not be dropped.
 */
export function fromPolicyText(text: string): Policy {
  const [outermost, ...rest] = toList(text).map((options) => toSettings(options as object, process.cwd()));
  if (outermost === undefined) throw complain('the list is empty');
  return fromLayers([outermost, ...rest]);
}

function toList(text: string): readonly unknown[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    throw complain(toErrorText(error), error);
  }
  if (!Array.isArray(list)) throw complain('it is not a list');
  return list;
}

function complain(why: string, cause?: unknown): TroupeError {
  const message = `The text of a policy cannot be read: ${why}. Pass the result of toPolicyText unchanged.`;
  return new TroupeError({ code: 'invalid-option', message, cause });
}
