import { readFileSync } from 'node:fs';

interface Turn {
  id: string;
  date?: string;
  speaker: string;
  text: string;
  caption?: string;
}

interface Question {
  question: string;
  category: number;
  /** Ids of turns. */
  evidence: string[];
}

/** A judged conversation: what was said, and questions about it. */
export interface Conversation {
  sample_id: string;
  speakers: string[];
  turns: Turn[];
  questions: Question[];
}

export function readConversations(file: string): Conversation[] {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** A turn as a memory: when, who, what, and what its picture shows. */
export function contentOf({ date = '', speaker, text, caption }: Turn): string {
  return `${date} ${speaker}: ${text}${caption ? ` [${caption}]` : ''}`.trim();
}

/** The question put to another conversation: its speakers' names in the place of ours. */
export function swapped(
  question: string,
  own: readonly string[],
  other: readonly string[],
): string {
  return own.reduce(
    (text, name, index) =>
      text.replace(
        new RegExp(`\\b${name.replace(/[^\p{L}\p{N} ]/gu, '\\$&')}\\b`, 'g'),
        other[index] ?? name,
      ),
    question,
  );
}
