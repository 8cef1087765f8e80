-- Whose memories: a principal (its opaque id, also of one that is gone) or a space.
create table memory_owners (
  id integer primary key,
  name text not null unique,
  -- The highest id whose words are in the slices of memory_words.
  merged integer not null default 0
) strict;

-- Memories that several people share. A space owns what is at `space/<name>/…`.
create table spaces (
  id text primary key,
  name text not null unique,
  created_at integer not null
) strict, without rowid;

create table space_members (
  space text not null references spaces (id) on delete cascade,
  principal text not null,
  role text not null check (role in ('reader', 'writer')),
  primary key (space, principal)
) strict, without rowid;
create index space_members_principal on space_members (principal);

-- The paths in use, and what is searchable at each: how many memories, of how many words.
create table memory_paths (
  id integer primary key,
  owner integer not null references memory_owners (id),
  path text not null,
  memories integer not null default 0,
  words integer not null default 0,
  unique (owner, path)
) strict;

create table memories (
  -- Never given again, so that what points to an erased memory points to nothing.
  id integer primary key autoincrement,
  reference text not null unique,
  owner integer not null references memory_owners (id),
  path integer not null references memory_paths (id),
  memory_type text not null check (memory_type in ('semantic', 'episodic', 'procedural', 'working', 'identity')),
  status text not null check (status in ('active', 'archived', 'deleted')),
  version integer not null,
  created_at integer not null,
  updated_at integer not null,
  expires_at integer,
  importance real not null,
  confidence real not null,
  semantic_key text,
  -- Who wrote it: attribution, never access.
  agent_id text,
  agent_instance_id text,
  -- Of the content in a normal form: equal ones are one memory.
  content_hash blob not null,
  metadata text not null,
  provenance text not null,
  -- How many words the content has.
  words integer not null,
  content text not null
) strict;
create index memories_owner on memories (owner, created_at);
create index memories_content on memories (path, content_hash);
create index memories_semantic_key on memories (path, semantic_key) where semantic_key is not null;
create index memories_expires_at on memories (expires_at) where expires_at is not null;
create index memories_owner_expires_at on memories (owner, expires_at) where expires_at is not null;

-- What updates replaced.
create table memory_versions (
  memory integer not null references memories (id) on delete cascade,
  version integer not null,
  -- Where it was then: seen by those who may read there.
  path integer not null references memory_paths (id),
  replaced_at integer not null,
  memory_type text not null,
  content text not null,
  primary key (memory, version)
) strict, without rowid;
create index memory_versions_path on memory_versions (path);

-- Requests to remember that may come again: hashes of the key and of what was asked.
create table memory_requests (
  principal text not null,
  token text not null,
  key_hash blob not null,
  body_hash blob not null,
  memory integer not null references memories (id) on delete cascade,
  at integer not null,
  primary key (principal, token, key_hash)
) strict, without rowid;
create index memory_requests_memory on memory_requests (memory);
create index memory_requests_at on memory_requests (at);

-- Which active memories of an owner have which word: slices of records, each in the order of the
-- memories' ids, that src/store/memory-words.ts writes. The one that still grows has 0 as `first`, the
-- others the id of their first record.
create table memory_words (
  owner integer not null,
  word text not null,
  first integer not null,
  records blob not null,
  primary key (owner, word, first)
) strict, without rowid;

-- The words of memories that are not in those slices yet: they go there by the hundred, since most of
-- the cost is that of touching each word's page. `words` are as `word` or `word:count`, with spaces.
create table memory_words_waiting (
  owner integer not null,
  memory integer not null,
  path integer not null,
  length integer not null,
  memory_type text not null,
  words text not null,
  primary key (owner, memory)
) strict, without rowid;
