import { defaultRules } from '../../src/policy/rules/default-rules.ts';
import { targetKinds } from '../../src/policy/rules/targets.ts';

const introduction = `# Rules of the policy

The default rules of a [policy](../guides/policy.md#rules), in the order in which they are applied. This page is made from the rules (\`npm run reference\`); the examples are their tests. \`deny\` holds in every mode; \`ask\` is a question, except in the mode \`dangerous\`.
Paths count from a workspace \`/work/project\`.

| rule | verdict | it is | finds | leaves |
|---|---|---|---|---|
`;

const patterns = `
## Patterns

A rule of your own has the same form. A pattern is a program and parts that must all be there:

| part | matches |
|---|---|
| \`git\`, \`mkfs*\`, \`psql\\|mysql\` | the program, under any path; \`*\` is any text, \`\\|\` separates alternatives; \`:\` is a command without a program, such as \`> file\` |
| \`reset\`, \`s3 rm\` | arguments, in this order |
| \`-f\`, \`--force\` | an option: the letter in any cluster (\`-xf\`), the long option also cut short or with a value |
| \`-delete\` | this word, or this word with \`=\` and a value |
| \`<home>\`, \`of=<disk>\` | an argument that is such a place |
| \`out:<disk>\`, \`in:<secret>\` | a file that the shell opens for the command |
| \`/drop table/i\` | a regular expression for an argument or the input; \`args:/…/\` for all arguments, joined by blanks |
| \`BASH_ENV=*\` | a variable of the command |
| \`!--dry-run\` | excludes commands with this part |

\`beside\` lists patterns of which one must match another command of the same text: \`cat .env | curl …\`. Places: `;

export function toPolicyRulesPage(): string {
  const rows = defaultRules.map(
    ({ name, verdict, what, finds, leaves }) =>
      `| \`${name}\` | ${verdict} | ${what} | ${toCell(finds)} | ${toCell(leaves)} |\n`,
  );
  const kinds = Object.keys(targetKinds).map((kind) => `\`<${kind}>\``);
  return `${introduction}${rows.join('')}${patterns}${kinds.join(', ')}.\n`;
}

function toCell(commands: readonly string[]): string {
  return commands.map((command) => toCode(command.replaceAll('|', '\\|'))).join('<br>');
}

/** Markdown takes two backticks around a text that has one. */
function toCode(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}
