-- Calls as they were reported, kept for 30 days.
create table calls (
  id integer primary key autoincrement,
  -- tools.id; also of a tool that was removed since, so it refers to nothing.
  tool integer not null,
  timestamp integer not null,
  execution_time_ms real not null,
  success integer not null check (success in (0, 1)),
  error text,
  -- callers.id
  caller integer,
  call_id text,
  -- users.id of who reported it; that user may be gone.
  reporter text not null
) strict;

create index calls_timestamp on calls (timestamp);
-- Has all that a tool's history filters by.
create index calls_tool on calls (tool, timestamp, success, caller);
-- A report that is sent again is the same call.
create unique index calls_call_id on calls (tool, call_id) where call_id is not null;

create table callers (
  id integer primary key,
  name text not null unique
) strict;

-- What is left of a removed tool. Its id is never given to another, so that its calls stay its own.
create table removed_tools (
  id integer primary key,
  tool_id text not null,
  name text not null,
  category text not null,
  server text not null
) strict;

-- Sums by the hour and by the day, in milliseconds since 1970. They follow the calls a moment later:
-- then many calls of a tool are one row to write. A series is a tool (its id), a caller (its id, negative) or all calls (0).
create table usage_hours (
  start integer not null,
  series integer not null,
  calls integer not null,
  successes integer not null,
  execution_time_ms real not null,
  -- Durations by bucket, see src/store/duration-buckets.ts.
  buckets blob not null,
  primary key (start, series)
) strict, without rowid;

create table usage_days (
  start integer not null,
  series integer not null,
  calls integer not null,
  successes integer not null,
  execution_time_ms real not null,
  buckets blob not null,
  primary key (start, series)
) strict, without rowid;

-- The newest call that the sums hold.
create table summed_calls (
  last_id integer not null
) strict;
insert into summed_calls (last_id) values (0);

-- How often which error was reported, of all calls and by tool.
create table usage_errors (
  start integer not null,
  series integer not null,
  error text not null,
  calls integer not null,
  primary key (start, series, error)
) strict, without rowid;

-- Administrators have every scope: those that come with usage statistics too.
update users
set scopes = json_insert(scopes, '$[#]', 'usage:read', '$[#]', 'usage:write')
where exists (select 1 from json_each(users.scopes) where value = 'admin');
update change_counters set value = value + 1 where subject = 'users';
