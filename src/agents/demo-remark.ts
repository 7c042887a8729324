const MAX_SHOWN = 2_000;

/** What the demo script says of a tool's answer, or of a notice. */
export function toDemoRemark({ name, text }: { readonly name: string; readonly text: string }): string {
  if (name === 'notice') return toNoticeRemark(text);
  const answer = parse(text);
  if (answer === null) return shorten(text);
  const data = (answer.data ?? {}) as Readonly<Record<string, unknown>>;
  if (answer.ok === false) {
    const output = typeof data['output'] === 'string' && data['output'] !== '' ? `\n${data['output']}` : '';
    return `${name} did not work: ${shorten(toText(answer.error) + output)}`;
  }
  if (typeof answer.data === 'string') return `${name} answered:\n${shorten(answer.data)}`;
  if (data['status'] === 'backgrounded') {
    return `It goes on in the background as ${toText(data['process_id'])}. I will tell you when it ends.`;
  }
  if (Array.isArray(data['processes'])) return toListRemark(data['processes']);
  if (typeof data['output'] === 'string' && 'exit_code' in data) {
    const end = data['exit_code'] === 0 ? 'It worked' : `It ended with code ${toText(data['exit_code'])}`;
    return data['output'] === '' ? `${end} and printed nothing.` : `${end}:\n${shorten(data['output'])}`;
  }
  return shorten(toText(data['message'] ?? answer.data));
}

function toListRemark(processes: readonly unknown[]): string {
  if (processes.length === 0) return 'Nothing runs.';
  return processes
    .map((each) => {
      const { process_id, status, command } = each as Readonly<Record<string, unknown>>;
      return `${toText(process_id)}  ${toText(status)}  ${toText(command)}`;
    })
    .join('\n');
}

/** The sentences of a notice are those lines that are no markup and no output. */
function toNoticeRemark(text: string): string {
  const sentences = [...text.matchAll(/^<process [^>]*>\n(?<sentence>.+)$/gm)].map(
    ({ groups }) => groups?.['sentence'] ?? '',
  );
  const answers = [...text.matchAll(/^<answer>\n(?<answer>[\s\S]*?)\n<\/answer>$/gm)].map(
    ({ groups }) => groups?.['answer'] ?? '',
  );
  const said = [...sentences, ...answers].map(fromMarkup);
  return said.length === 0 ? 'Something happened; see the notice.' : shorten(said.join('\n'));
}

function fromMarkup(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

function parse(
  text: string,
): { readonly ok?: unknown; readonly data?: unknown; readonly error?: unknown } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `…${text.slice(-MAX_SHOWN)}` : text;
}
