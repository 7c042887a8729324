import { z } from 'zod';
import { duration } from './duration.ts';
import { isFunction } from './has-functions.ts';
import { permissions } from './policy-options.ts';

/** Options of tools from another library. */
export const foreignToolOptions = z.strictObject({
  permission: z
    .union([z.enum(permissions), z.custom<(name: string) => (typeof permissions)[number]>(isFunction)], {
      error: () =>
        `one of ${permissions.map((each) => `"${each}"`).join(', ')}, or a function that returns one`,
    })
    .default('other'),
  prefix: z.string().min(1).optional(),
});

/** Options of tools from the AI SDK. */
export const aiSdkToolOptions = foreignToolOptions.extend({
  contexts: z.record(z.string(), z.unknown()).optional(),
});

/** Options of tools from a client of MCP. */
export const mcpClientToolOptions = foreignToolOptions.extend({ timeout: duration.optional() });
