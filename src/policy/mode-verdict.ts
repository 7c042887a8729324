import type { PolicySettings } from '../config/policy-options.ts';
import type { Permission } from './permission.ts';
import type { Verdict } from './policy.ts';

type VerdictType = Verdict['type'];

const reading: readonly Permission[] = ['status', 'output', 'list', 'other'];

/** Returns the mode's default verdict for a permission. */
function toModeVerdict(mode: PolicySettings['mode'], permission: Permission): VerdictType {
  switch (mode) {
    case 'default':
      return reading.includes(permission) ? 'allow' : 'ask';
    case 'auto':
      return permission === 'write' || permission === 'keys' ? 'ask' : 'allow';
    case 'dangerous':
      return 'allow';
    case 'plan':
      return reading.includes(permission) ? 'allow' : 'deny';
    case 'ci':
      return permission === 'other' ? 'allow' : 'deny';
  }
}

/** Verdict on a permission, before a command is looked at. */
export interface PermissionVerdict {
  readonly type: VerdictType;
  /** True if commands that only read are allowed, whatever `type` is. */
  readonly letsReadersRun: boolean;
}

/**
 * Returns the verdict with the user's own entries: the tool's before the permission's, none above a prohibition of the
 * mode.
 */
export function toPermissionVerdict(
  { mode, permissions }: PolicySettings,
  { tool, permission }: { readonly tool: string; readonly permission: Permission },
): PermissionVerdict {
  const byMode = toModeVerdict(mode, permission);
  const byUser = own(permissions, tool) ?? own(permissions, permission);
  const isProhibited = byMode === 'deny' && (mode === 'plan' || mode === 'ci');
  return {
    type: isProhibited ? 'deny' : (byUser ?? byMode),
    letsReadersRun:
      permission === 'start' &&
      (mode === 'plan' ? byUser !== 'deny' : mode === 'default' && byUser === undefined),
  };
}

function own(entries: PolicySettings['permissions'], key: string): VerdictType | undefined {
  return Object.hasOwn(entries, key) ? entries[key] : undefined;
}
