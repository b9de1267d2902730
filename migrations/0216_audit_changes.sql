-- breaking: an older program would take entries with changes for forged ones.
--
-- What a change of settings, a role, a number or a key was before and after, as JSON text: the hash of the entry covers its bytes.
alter table audit_entries add column changes text;
