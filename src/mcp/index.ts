export type { ClientPlace } from './client-place.ts';
export { createMcpServer, type McpServer, type McpServerOptions } from './create-mcp-server.ts';
export {
  createMcpFetchHandler,
  type McpFetchHandler,
  type McpFetchOptions,
} from './http/create-mcp-fetch-handler.ts';
export { defaultHttpAddress, type HttpAddress, parseHttpAddress } from './http/http-address.ts';
export { parseToolSets } from './parse-tool-sets.ts';
export type { ChangeOptions, ResourceChange } from './resource-changes.ts';
export { type HttpOptions, type McpRunOptions, runMcpServer } from './run-mcp-server.ts';
