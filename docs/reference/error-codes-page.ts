import { errorCodes } from '../../src/config/troupe-error.ts';

const introduction = `# Error codes

\`TroupeError\` is the only error that troupe throws; \`code\` is one of these. They are exported as \`errorCodes\`, from which this page is made (\`npm run reference\`). The message says what happened, with which value, and what to do; \`cause\` is the error
behind it, where there is one. What the outside world does (an exit code, a signal, a time limit, a denial, a lost program) is a value in an answer and never an error.

\`\`\`ts
import { createSupervisor, TroupeError } from 'troupe';

const supervisor = createSupervisor();
try {
  supervisor.start({ command: 'npm run dev', onDuplicate: 'refuse' });
} catch (error) {
  if (!(error instanceof TroupeError) || error.code !== 'duplicate') throw error;
  console.log('it runs already');
}
\`\`\`

| \`code\` | |
|---|---|
`;

export function toErrorCodesPage(): string {
  const rows = Object.entries(errorCodes).map(([code, meaning]) => `| \`${code}\` | ${meaning} |\n`);
  return introduction + rows.join('');
}
