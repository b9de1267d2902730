-- Simulator numbers have the limits of a real number unless their reply window is off. Those that exist had none before.

update channel_numbers set settings = settings || '{"reply_window": false}'
where connector = 'simulator' and not settings ? 'reply_window';
