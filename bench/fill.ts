import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { runNode } from './processes.ts';
import type { Catalogue } from './requests.ts';
import { makeTools } from './tools.ts';

/** Writes the tools as JSON Lines. @returns what the requests and checks need to know of them. */
export async function writeTools(file: string, count: number): Promise<Catalogue> {
  const ids: string[] = [];
  const categories = new Map<string, number>();

  function* lines(): Generator<string> {
    for (const tool of makeTools(count)) {
      const { category } = tool.metadata;
      ids.push(tool.tool_id);
      categories.set(category, (categories.get(category) ?? 0) + 1);
      yield `${JSON.stringify(tool)}\n`;
    }
  }

  await pipeline(Readable.from(lines()), createWriteStream(file));
  return { ids, categories };
}

/** Imports the file by the command line. @returns seconds. @throws Error unless all were created. */
export async function importTools(
  command: string,
  file: string,
  count: number,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const started = performance.now();
  const output = await runNode([command, 'import', file], { env });
  if (!output.startsWith(`${count} created, 0 updated`) || !output.includes(' 0 refused')) {
    throw new Error(`import: ${output}`);
  }
  return (performance.now() - started) / 1000;
}
