// `npm run memory-eval -- FILE [--json]`: how well memories of judged conversations are found again.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../src/store/store.ts';
import { readConversations } from './conversations.ts';
import { evaluate } from './evaluate.ts';

const [file, flag] = process.argv.slice(2);
if (file === undefined || (flag !== undefined && flag !== '--json')) {
  console.error('npm run memory-eval -- FILE [--json]');
  process.exitCode = 2;
} else {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-memory-'));
  const store = openStore(`file:${folder}/toolcrib.db`);
  try {
    const report = await evaluate(store, readConversations(file));
    console.log(flag === '--json' ? JSON.stringify(report, null, 2) : asText(report));
  } finally {
    store.close();
    rmSync(folder, { recursive: true });
  }
}

function asText(report: Awaited<ReturnType<typeof evaluate>>): string {
  const share = (value: number) => value.toFixed(3);
  const { recall, search_memory, false_facts } = report;
  const rows = report.curve.map(
    ({ bar, kept, answered }) => `  ${bar.toFixed(2)}  ${share(kept)}  ${share(answered)}`,
  );
  return [
    `${report.questions} questions (categories 1 to 4)`,
    `recall         recall@5 ${share(recall['recall@5'])}  hit@5 ${share(recall['hit@5'])}`,
    `search_memory  kept ${share(search_memory.kept)}  swapped questions answered ${share(search_memory.answered)}`,
    '',
    'Bar   kept   swapped answered',
    ...rows,
    '',
    'Category  questions  recall@5  hit@5  kept  swapped answered',
    ...report.by_category.map(
      (one) =>
        `  ${one.category}  ${one.questions}  ${share(one['recall@5'])}  ${share(one['hit@5'])}  ${share(one.kept)}  ${share(one.answered)}`,
    ),
    `False facts about the same people (category 5): ${false_facts.questions} questions, recall@5 ${share(false_facts['recall@5'])}, hit@5 ${share(false_facts['hit@5'])}, answered with that turn ${share(false_facts.kept)}`,
  ].join('\n');
}
