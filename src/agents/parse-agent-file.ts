import type { AgentDefinition } from '../config/agent-file.ts';
import { parseYamlText } from '../config/yaml-text.ts';
import { checkDefinition } from './agent-definition.ts';

/**
 * Reads the text of an agent's file.
 *
 * @throws TroupeError `invalid-agent-file`: each problem on a line of its own, with file, line and column.
 */
export function parseAgentFile(text: string, { file }: { file: string }): Promise<AgentDefinition> {
  return parseYamlText(text, { file, code: 'invalid-agent-file', check: checkDefinition });
}
