import type { RestartPolicy } from '../../machines/process/context.ts';

/** What people of container tools call the restart policies, and their own names. */
export const restartPolicies = {
  never: 'temporary',
  'on-failure': 'transient',
  always: 'permanent',
  temporary: 'temporary',
  transient: 'transient',
  permanent: 'permanent',
} as const satisfies Record<string, RestartPolicy>;

export const restartWords = Object.keys(restartPolicies) as (keyof typeof restartPolicies)[];
