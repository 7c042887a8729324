import { toErrorText } from '../config/error-text.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { ToolDescription } from '../models/chat-model.ts';
import { type Tool, toInputSchema } from '../tools/tool.ts';

/**
 * Returns the descriptions of the tools for the model.
 *
 * @throws TroupeError `invalid-option`, naming the tool whose input JSON Schema cannot express.
 */
export function describeTools(tools: readonly Tool[]): readonly ToolDescription[] {
  return tools.map((tool) => {
    const { name, description } = tool;
    try {
      return { name, description, inputSchema: toInputSchema(tool) };
    } catch (cause) {
      const message =
        `createConversation: "tools" has "${name}", whose input cannot be written as JSON Schema: ` +
        `${toErrorText(cause)}. Declare text or a number and convert it in the tool.`;
      throw new TroupeError({ code: 'invalid-option', message, cause });
    }
  });
}
