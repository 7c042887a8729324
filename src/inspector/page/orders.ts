import { answer } from './state.ts';

/** Sends an order to the program. Returns its result, or `null` after showing why it was refused. */
export async function order<T>(method: string, params: object): Promise<T | null> {
  try {
    const response = await fetch('api/act', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ method, params }),
    });
    const text = await response.text();
    const reply = parseReply(text);
    if (reply !== null && 'result' in reply) return reply.result as T;
    refuse(reply?.error?.message ?? text.trim());
  } catch {
    refuse('The program does not answer. The page connects again by itself.');
  }
  return null;
}

/** Sends an order whose result is said in words. */
export async function orderAloud<T>(
  method: string,
  { params, say }: { readonly params: object; readonly say: (result: T) => string },
): Promise<T | null> {
  const result = await order<T>(method, params);
  if (result !== null) answer.value = { text: say(result), isRefusal: false };
  return result;
}

function refuse(text: string): void {
  answer.value = { text, isRefusal: true };
}

/** Returns the JSON of an answer; `null` where it is other text. */
export function parseReply(text: string): { result?: unknown; error?: { message?: string } } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns text as base64 of its UTF-8 bytes. */
export function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
