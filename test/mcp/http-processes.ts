import type { Client } from '@modelcontextprotocol/client';
import { waitUntil } from '../support/os.ts';
import { dataOf } from './arrange.ts';

export async function startProcess(client: Client, command: string): Promise<{ id: string; pid: number }> {
  const result = await client.callTool({ name: 'start_process', arguments: { command } });
  const { process_id: id } = dataOf(result)['data'] as { process_id: string };
  const pid = await waitUntil(async () => (await viewOf(client, id))['pid'] as number | null);
  return { id, pid };
}

export async function viewsOf(client: Client): Promise<readonly Record<string, unknown>[]> {
  const { resources } = await client.listResources();
  const ids = resources.map(({ uri }) => uri.slice('process://'.length)).filter((id) => !id.endsWith('/log'));
  return Promise.all(ids.map((id) => viewOf(client, id)));
}

async function viewOf(client: Client, id: string): Promise<Record<string, unknown>> {
  const { contents } = await client.readResource({ uri: `process://${id}` });
  return JSON.parse((contents[0] as { text: string }).text) as Record<string, unknown>;
}
