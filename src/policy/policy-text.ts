import { toErrorText } from '../config/error-text.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { fromLayers, toSettings } from './create-policy.ts';
import type { Policy } from './policy.ts';

/** A policy as text for the environment of another process: JSON, one entry for each of its layers. */
export function toPolicyText({ layers }: Pick<Policy, 'layers'>): string {
  return JSON.stringify(layers);
}

/**
 * The policy that `toPolicyText` wrote.
 *
 * @throws TroupeError `invalid-option` for anything else: a restriction that cannot be read is no licence.
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
  if (!Array.isArray(list)) throw complain('it is no list');
  return list;
}

function complain(why: string, cause?: unknown): TroupeError {
  const message = `The text of a policy cannot be read: ${why}. Hand on what toPolicyText has written, unchanged.`;
  return new TroupeError({ code: 'invalid-option', message, cause });
}
