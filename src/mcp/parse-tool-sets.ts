import { nearest } from '../config/nearest.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { Tool } from '../tools/tool.ts';
import { type ToolSetName, toolSets } from '../tools/tool-sets.ts';

/**
 * Returns the tools of the named sets, separated by commas: `process`, `background_process,bg`.
 *
 * @throws TroupeError `invalid-option` for an unknown set.
 */
export function parseToolSets(names: string): readonly Tool[] {
  return names.split(',').flatMap((name) => toolsOf(name.trim()));
}

function toolsOf(name: string): readonly Tool[] {
  const known = Object.keys(toolSets);
  if (known.includes(name)) return toolSets[name as ToolSetName];
  const meant = nearest(name, known);
  const hint = meant === null ? `There are ${known.join(', ')}.` : `Did you mean ${meant}?`;
  throw new TroupeError({ code: 'invalid-option', message: `There is no tool set ${quote(name)}. ${hint}` });
}
