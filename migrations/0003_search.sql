-- The words of a tool and how often each stands in which field, as src/search/tool-words.ts writes
-- them: what ranking needs, split and folded once.
create table tool_words (
  id integer primary key references tools (id) on delete cascade,
  words blob not null
) strict;

-- Which tools the newest changes of the catalogue were about, by the value its counter took: those
-- who keep an index of the tools in memory follow this. Older entries are dropped.
create table tool_changes (
  version integer not null,
  tool integer not null,
  primary key (version, tool)
) strict, without rowid;

-- What an embedding model makes of a tool's texts: a 32-bit float, then bytes with a sign that it
-- scales. Valid for one model and one revision of the tool.
create table tool_vectors (
  id integer primary key references tools (id) on delete cascade,
  model text not null,
  revision integer not null,
  -- The value that the counter of vectors took with it.
  version integer not null,
  vector blob not null
) strict;
create index tool_vectors_version on tool_vectors (version);
insert into change_counters (subject, value) values ('vectors', 1);
