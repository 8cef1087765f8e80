import { createHash } from 'node:crypto';
import { randomText } from '../random-text.ts';

const MAX_NAME = 128;
const HASH_LENGTH = 8;
const ID_LENGTH = 20;
const ID_CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** A tool's name, compared exactly (MCP, "Tool Names"). */
export const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** A tool's id: ours have 20 characters after the dash, imported ones up to 64. */
export const TOOL_ID = /^tool-[a-z0-9]{1,64}$/;

/** A new, unguessable tool id of 103 bits. */
export function newToolId(): string {
  return `tool-${randomText(ID_LENGTH, ID_CHARACTERS)}`;
}

/**
 * Names for tools that come from servers: `slug__name`, at most 128 characters. Two servers never
 * share a slug of one prefixer: a later one gets `-2`, `-3`, … The name is taken as it is.
 */
export function createPrefixer(): (server: string, name: string) => string {
  const slugs = new Map<string, string>();
  const taken = new Set<string>();
  const next = new Map<string, number>();

  function slugFor(server: string): string {
    const known = slugs.get(server);
    if (known !== undefined) return known;
    const plain = slugOf(server);
    let slug = plain;
    // Counting goes on where it stopped: thousands of servers may share one slug.
    let n = next.get(plain) ?? 2;
    while (taken.has(slug)) slug = `${plain}-${n++}`;
    next.set(plain, n);
    slugs.set(server, slug);
    taken.add(slug);
    return slug;
  }

  // A slug has no underscore, so the first two in a row end it and different pairs stay different.
  return (server, name) => {
    const full = `${slugFor(server)}__${name}`;
    if (full.length <= MAX_NAME) return full;
    return `${full.slice(0, MAX_NAME - HASH_LENGTH - 1)}_${hashOf(server, name)}`;
  };
}

function slugOf(server: string): string {
  const replaced = server.replace(/[^A-Za-z0-9.-]+/g, '-');
  // From the first character that is no dash to the last one, in linear time.
  return /[^-](?:.*[^-])?/.exec(replaced)?.[0] ?? 'server';
}

function hashOf(server: string, name: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([server, name]))
    .digest();
  return digest.readUIntBE(0, 6).toString(36).padStart(HASH_LENGTH, '0').slice(-HASH_LENGTH);
}

/** A category for a tool that came without one: `memory.show` → `memory`, else the server's name. */
export function categoryOf(name: string, server: string | undefined): string | undefined {
  return name.split('.').at(-2) || server || undefined;
}
