-- Who did what and when: rows are added, never changed. Ids and hashes only, never content, so that
-- an erased text is not kept here.
create table audit_log (
  id integer primary key autoincrement,
  at integer not null,
  -- Who: the id of a principal, and of the token it came with; '' for the command line.
  principal text not null,
  token text not null default '',
  -- What, such as 'memory.forget', and to which: the id of a memory, token or user.
  action text not null,
  subject text not null,
  -- A JSON object of further ids and hashes.
  details text not null default '{}'
) strict;
create index audit_log_subject on audit_log (subject, id);

create trigger audit_log_stays before update on audit_log begin
  select raise(abort, 'The audit log is append-only');
end;
create trigger audit_log_keeps before delete on audit_log begin
  select raise(abort, 'The audit log is append-only');
end;

-- Administrators use memories of their own; reading those of others is never given by itself.
update users
set scopes = json_insert(scopes, '$[#]', 'memory:read', '$[#]', 'memory:write')
where exists (select 1 from json_each(users.scopes) where value = 'admin');
update change_counters set value = value + 1 where subject = 'users';
