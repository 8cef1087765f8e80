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
