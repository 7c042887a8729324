import type { Permission } from '../policy/permission.ts';
import type { Policy } from '../policy/policy.ts';
import type { Tool } from './tool.ts';

/** What is left of a tool when only some permissions are given; `null` where that is nothing. */
export function narrowTool(tool: Tool, isAllowed: (permission: Permission) => boolean): Tool | null {
  if (tool.narrow !== undefined) return tool.narrow(isAllowed);
  return tool.permissions.some(isAllowed) ? tool : null;
}

/** The tools that a model is told of under this policy, in their order, without the actions that would always be denied. */
export function offerTools(
  tools: readonly Tool[],
  policy: Pick<Policy, 'offers' | 'allows'>,
): readonly Tool[] {
  return tools
    .filter((tool) => policy.offers(tool))
    .map((tool) => narrowTool(tool, (permission) => policy.allows(tool.name, permission)))
    .filter((tool) => tool !== null);
}
