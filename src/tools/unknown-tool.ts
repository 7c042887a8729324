import { nearest } from '../config/nearest.ts';
import { quote } from '../config/quote.ts';
import type { Tool } from './tool.ts';

/** What is answered to a call of a tool that is not among these. */
export function describeUnknownTool(name: string, tools: readonly Tool[]): string {
  const names = tools.map((tool) => tool.name);
  const meant = nearest(name, names);
  const hint = meant === null ? `Tools: ${names.join(', ')}.` : `Did you mean ${meant}?`;
  return `There is no tool ${quote(name)}. ${hint}`;
}
