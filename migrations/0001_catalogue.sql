-- Times are milliseconds since 1970 UTC. Text compares by code point (SQLite's BINARY on UTF-8).

-- Opaque facts about this store, such as the id it shows as its node.
create table store_facts (
  name text primary key,
  value text not null
) strict, without rowid;

-- One counter a subject, raised by every transaction that changes it: caches and ETags follow these.
create table change_counters (
  subject text primary key,
  value integer not null
) strict, without rowid;
insert into change_counters (subject, value) values ('catalogue', 1), ('usage', 1), ('users', 1);

-- The narrow row that lists sort, filter and count on. Missing texts are '' so that they sort first.
create table tools (
  id integer primary key,
  tool_id text not null unique,
  name text not null unique,
  status text not null check (status in ('active', 'inactive', 'error')),
  category text not null,
  author text not null,
  server text not null,
  read_only integer not null check (read_only in (0, 1)),
  created_at integer not null,
  updated_at integer not null,
  revision integer not null,
  -- Exact sums, and beside them the rounded values that answers show, filter and sort by.
  total_calls integer not null default 0,
  successful_calls integer not null default 0,
  total_execution_time_ms real not null default 0,
  success_rate real not null default 0,
  avg_execution_time_ms real not null default 0
) strict;

-- Ties go to the name, ascending, in both directions: descending, SQLite sorts each group of equals.
create index tools_created_at on tools (created_at, name);
create index tools_updated_at on tools (updated_at, name);
create index tools_category on tools (category, name);
create index tools_total_calls on tools (total_calls, name);
create index tools_success_rate on tools (success_rate, name);
create index tools_avg_execution_time on tools (avg_execution_time_ms, name);
create index tools_author on tools (author, name) where author <> '';
create index tools_server on tools (server, name) where server <> '';
create index tools_not_active on tools (status, name) where status <> 'active';

-- The wide part: the answer's JSON object up to its usage numbers, so that a page is spliced, not built.
create table tool_documents (
  id integer primary key references tools (id) on delete cascade,
  document text not null,
  -- 1 when the document's parameters were derived from its input schema.
  derived_parameters integer not null check (derived_parameters in (0, 1)),
  -- ml-commons' own type, parameters and attributes as JSON, when the tool was registered that way.
  ml_commons text
) strict;

-- Folded texts of the fields that `search` looks into.
create table tool_texts (
  id integer primary key references tools (id) on delete cascade,
  name text not null,
  description text not null
) strict;

create table tool_tags (
  tag text not null,
  tool integer not null references tools (id) on delete cascade,
  primary key (tag, tool)
) strict, without rowid;
create index tool_tags_tool on tool_tags (tool);

-- Former definitions, as they were until replaced_at.
create table tool_versions (
  tool integer not null references tools (id) on delete cascade,
  revision integer not null,
  document text not null,
  derived_parameters integer not null check (derived_parameters in (0, 1)),
  ml_commons text,
  replaced_at integer not null,
  primary key (tool, revision)
) strict, without rowid;

-- The newest calls of a tool, at most ten, newest first: JSON [[timestamp, execution_time_ms, success], …].
create table recent_calls (
  tool integer primary key references tools (id) on delete cascade,
  calls text not null
) strict;

create table users (
  id text primary key,
  name text not null unique,
  password_hash text not null,
  scopes text not null,
  created_at integer not null,
  updated_at integer not null
) strict, without rowid;
