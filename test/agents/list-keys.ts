import { z } from 'zod';
import { agentFileSchema } from '../../src/config/agent-file-schema.ts';

/** Every setting of an agent's file by its path: `supervisor.default_timeout`. What stands in a table or a list is not looked into. */
export function listKeys(schema: z.ZodType = agentFileSchema, path = ''): readonly string[] {
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodObject)) return [path];
  return Object.entries(inner.shape).flatMap(([key, value]) =>
    listKeys(value as z.ZodType, path === '' ? key : `${path}.${key}`),
  );
}

function unwrap(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as { innerType?: z.ZodType };
  return innerType === undefined ? schema : unwrap(innerType);
}
