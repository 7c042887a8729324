import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { agentPolicyOptions } from '../config/agent-file-schema.ts';
import { toErrorText } from '../config/error-text.ts';
import { fromFileSection, toFileSection } from '../config/file-section.ts';
import { describeProblems } from '../config/parse-options.ts';
import { type Checked, parseYaml } from '../config/parse-yaml.ts';
import type { PolicyOptions } from '../config/policy-options.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';

const schema = toFileSection(agentPolicyOptions.shape);

/**
 * Reads a policy file: YAML with the settings of the section `policy` of an agent file.
 *
 * @throws TroupeError `invalid-option`: each problem on its own line, with file, line and column.
 */
export async function readPolicyFile(
  file: string,
  { cwd }: { readonly cwd: string },
): Promise<PolicyOptions> {
  let text: string;
  try {
    text = await readFile(resolve(cwd, file), 'utf8');
  } catch (error) {
    const message = `--policy is ${quote(file)}, which cannot be read: ${toErrorText(error)}. Expected a YAML file with policy settings, such as "mode: auto".`;
    throw new TroupeError({ code: 'invalid-option', message, cause: error });
  }
  return parseYaml(text, { file, code: 'invalid-option', check: checkPolicy });
}

function checkPolicy(input: unknown): Checked<PolicyOptions> {
  const result = schema.safeParse(input ?? {});
  return result.success
    ? { ok: true, value: fromFileSection(result.data, agentPolicyOptions.shape) as PolicyOptions }
    : { ok: false, problems: describeProblems(result.error, { input, schema }) };
}
