import type { PolicyOptions } from '../config/policy-options.ts';
import { createPolicy } from '../policy/create-policy.ts';
import type { Permission } from '../policy/permission.ts';
import type { Policy } from '../policy/policy.ts';
import type { NoticeDelivery, Tool } from './tool.ts';

/** Restricts a tool to the allowed permissions; `null` where nothing remains. */
export function narrowTool(tool: Tool, isAllowed: (permission: Permission) => boolean): Tool | null {
  if (tool.narrow !== undefined) return tool.narrow(isAllowed);
  return tool.permissions.some(isAllowed) ? tool : null;
}

/**
 * Returns the tools offered to a model under this policy, in order, without actions that would always be denied. Their descriptions
 * say how `notices` reach the model; default `none`.
 */
export function offerTools(
  tools: readonly Tool[],
  given: Pick<Policy, 'offers' | 'allows'> | PolicyOptions,
  { notices = 'none' }: { readonly notices?: NoticeDelivery } = {},
): readonly Tool[] {
  const policy = 'offers' in given ? given : createPolicy(given);
  return tools
    .filter((tool) => policy.offers(tool))
    .map((tool) => narrowTool(tool, (permission) => policy.allows(tool.name, permission)))
    .filter((tool) => tool !== null)
    .map((tool) => tool.forNotices?.(notices) ?? tool);
}
