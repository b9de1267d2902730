-- Messages that are edited, deleted or played are events of Meta's format too: endpoints that take all of its events take these.
update webhook_endpoints
set events = '{message.received,message.edited,message.deleted,message.sent,message.delivered,message.read,message.played,message.failed}'
where format = 'whatsapp_cloud'
  and events @> '{message.received,message.sent,message.delivered,message.read,message.failed}';
