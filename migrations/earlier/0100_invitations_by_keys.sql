-- People can be invited through the API, with a key. A key is no person, so an invitation need not name one.
alter table invitations alter column inviter_id drop not null;
